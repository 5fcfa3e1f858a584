// Tells GlueTesting when its program is loaded: before any test, which Swift cannot.
