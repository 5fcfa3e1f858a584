/// All that the program knows, and all that the screen shows.
struct SearchState: Equatable {
  /// Where files are searched.
  var directory = Path.workingDirectory

  /// What has been typed.
  var query = ""

  var results = Results()

  /// What went wrong last, until something else happens.
  var failure: String?

  /// How many rows and columns the terminal has.
  var size = Size(rows: 24, columns: 80)
}

struct Size: Equatable {
  var rows: Int
  var columns: Int
}
