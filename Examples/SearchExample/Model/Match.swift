/// A line that contains what is searched for.
struct Match: Equatable {
  var file: Path

  /// The first line of a file has number 1.
  var line: Int

  /// The line or, of a long one, the part around the first place that matches.
  ///
  /// It need not be UTF-8.
  var text: [UInt8]

  /// Whether something before `text` is missing.
  var isCutBefore = false

  /// Whether something after `text` is missing.
  var isCutAfter = false
}
