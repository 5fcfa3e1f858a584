/// A running search's report, sent from time to time.
struct Report: Equatable {
  var progress = Progress()

  /// The findings since the last report.
  var matches: [Match] = []
}

/// The progress of a search: counts until now.
struct Progress: Equatable {
  var filesKnown = 0
  var filesDone = 0

  /// The searched files that were skipped.
  var binaries = 0

  /// Files and directories that could not be read.
  var failures = 0

  /// Lines that contain the pattern.
  var matches = 0
}

/// A line that contains the pattern.
struct Match: Equatable {
  var file: Path
  var line: Int

  /// The line or, of a long one, the part around the first match, with ellipses.
  ///
  /// It need not be UTF-8.
  var text: [UInt8]
}
