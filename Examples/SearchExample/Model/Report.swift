/// What a running search tells from time to time.
struct Report: Equatable {
  /// How far it has come.
  var progress = Progress()

  /// What it has found since the last report.
  var matches: [Match] = []
}

/// How far a search has come.
struct Progress: Equatable {
  /// How many files were found until now.
  var filesKnown = 0

  /// How many of them are done.
  var filesDone = 0

  /// How many of those are binary, so that they were skipped.
  var binaries = 0

  /// How many files and directories could not be read.
  var failures = 0

  /// How many lines contain what is searched for.
  var matches = 0
}
