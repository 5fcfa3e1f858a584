/// The program's whole state, which the screen shows.
struct SearchState: Equatable {
  /// The directory to search.
  var directory = Path.workingDirectory

  /// The typed query.
  var query = ""

  var results = Results()

  /// Whether to open the first match as soon as there is one.
  var isOpening = false

  /// The last error, until the next event.
  var failure: String?

  /// How many rows and columns the terminal has.
  var size = Size(rows: 24, columns: 80)

  /// How many rows the list of matches has: all but the query, the progress and the keys.
  var listRows: Int { max(size.rows - 3, 0) }
}

/// The matches of a search until now, and the selected one.
struct Results: Equatable {
  /// While it waits for a new query's matches, everything is as the last query left it.
  enum Phase { case idle, waiting, searching, finished }

  /// How many matches are kept; the others are only counted.
  static let limit = 10_000

  var phase = Phase.idle
  private(set) var progress = Progress()
  private(set) var matches: [Match] = []

  /// The index of the selected match, or 0 if there is none.
  private(set) var selection = 0

  /// The index of the match at the top of the list.
  private(set) var top = 0

  var selected: Match? { matches.isEmpty ? nil : matches[selection] }

  /// Adds a report to the search's matches, or replaces the last search's by it.
  mutating func add(_ report: Report, _ newPhase: Phase) {
    if phase == .waiting { self = Results() }
    phase = newPhase
    progress = report.progress
    matches += report.matches.prefix(Results.limit - matches.count)
  }

  /// Moves the selection by a number of places within the matches, and scrolls a list of that
  /// many rows to show it.
  mutating func move(by offset: Int, listRows: Int) {
    selection = max(0, min(selection + offset, matches.count - 1))
    let rows = max(listRows, 1)
    let last = max(matches.count - rows, 0)  // From here on, rows would be empty.
    top = max(selection - rows + 1, min(top, selection, last))
  }
}
