/// What makes a terminal show what it should.
enum Sequences {
  /// Takes the whole screen, on which rows do not wrap.
  static let enter = "\u{1B}[?1049h\u{1B}[?7l"

  /// Gives back the screen as it was before.
  static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?7h\u{1B}[?1049l"

  /// Draws the rows that differ from what the terminal shows; of no rows nothing is known.
  static func draw(_ screen: Screen, over drawn: [Row]) -> String {
    var text = "\u{1B}[?25l"
    if drawn.isEmpty { text += "\u{1B}[2J" }
    for (index, row) in screen.rows.enumerated()
    where !drawn.indices.contains(index) || drawn[index] != row {
      text += "\u{1B}[\(index + 1);1H\u{1B}[K\(draw(row))"
    }
    return text + "\u{1B}[1;\(screen.cursor + 1)H\u{1B}[?25h"
  }

  private static func draw(_ row: Row) -> String {
    row.pieces.map { "\u{1B}[\(row.isSelected ? "7;" : "")\($0.style.code)m\($0.text)\u{1B}[0m" }
      .joined()
  }
}

extension Row.Style {
  fileprivate var code: String {
    switch self {
    case .plain: "22"
    case .strong: "1"
    case .faint: "2"
    case .file: "35"
    case .number: "32"
    case .match: "1;31"
    }
  }
}
