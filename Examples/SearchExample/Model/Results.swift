/// What a search has found until now, and which of it is selected.
struct Results: Equatable {
  enum Phase { case idle, searching, finished }

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

  mutating func add(_ report: Report) {
    progress = report.progress
    matches += report.matches.prefix(Results.limit - matches.count)
  }

  /// Moves the selection by so many places, as far as there are matches, and the list with it.
  mutating func move(by offset: Int, listRows: Int) {
    selection = max(0, min(selection + offset, matches.count - 1))
    scroll(listRows: listRows)
  }

  /// Has a list of that many rows show the selection.
  mutating func scroll(listRows: Int) {
    top = max(selection - max(listRows, 1) + 1, min(top, selection))
  }
}
