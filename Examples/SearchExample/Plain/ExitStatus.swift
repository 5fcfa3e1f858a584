/// The numbers are those of grep.
enum ExitStatus: Int32 {
  case found = 0
  case notFound = 1
  case error = 2

  /// How the interactive program ends when it is asked to.
  static let success = ExitStatus.found
}
