import TerminalSupport

/// All that the program knows, and all that the screen shows.
struct SearchState: Equatable {
  /// Where files are searched.
  var directory = Path.workingDirectory

  /// What has been typed.
  var query = ""

  var results = Results()

  /// Whether a match is to be opened as soon as there is one.
  var isOpening = false

  /// What went wrong last, until something else happens.
  var failure: String?

  /// How many rows and columns the terminal has.
  var size = Size(rows: 24, columns: 80)

  /// How many rows the list of matches has: all but the query, the progress and the keys.
  var listRows: Int { max(size.rows - 3, 0) }
}

/// What a search has found until now, and which of it is selected.
struct Results: Equatable {
  /// While it is waiting for what a new query finds, all is as the one before has left it.
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

  /// Adds what a search reports to what it has found, or has it replace what the last one has.
  mutating func add(_ report: Report, _ newPhase: Phase) {
    if phase == .waiting { self = Results() }
    phase = newPhase
    progress = report.progress
    matches += report.matches.prefix(Results.limit - matches.count)
  }

  /// Moves the selection by so many places, as far as there are matches, and has a list of that
  /// many rows show it.
  mutating func move(by offset: Int, listRows: Int) {
    selection = max(0, min(selection + offset, matches.count - 1))
    let rows = max(listRows, 1)
    let last = max(matches.count - rows, 0)  // From here on, rows would be empty.
    top = max(selection - rows + 1, min(top, selection, last))
  }
}
