/// What a running search tells from time to time.
struct Report: Equatable {
  var progress = Progress()

  /// What it has found since the last report.
  var matches: [Match] = []
}

/// How far a search has come: how many there are of each until now.
struct Progress: Equatable {
  var filesKnown = 0
  var filesDone = 0

  /// Of the files that are done, those that were skipped.
  var binaries = 0

  /// Files and directories that could not be read.
  var failures = 0

  /// Lines that contain what is searched for.
  var matches = 0
}

/// A line that contains what is searched for.
struct Match: Equatable {
  var file: Path
  var line: Int

  /// The line or, of a long one, the part around the first place that matches, with ellipses.
  ///
  /// It need not be UTF-8.
  var text: [UInt8]
}
