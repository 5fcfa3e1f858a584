// Nothing: the package manager wants a header, GlueTesting imports none.
