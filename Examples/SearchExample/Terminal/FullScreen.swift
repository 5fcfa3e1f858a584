/// Escape sequences that show rows on the whole screen of a terminal.
enum FullScreen {
  /// Takes the screen, without wrapping, and with bracketed paste.
  static let enter = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h"

  /// Restores the screen.
  static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l"

  /// Draws the rows that differ from the known rows of the terminal, if any.
  ///
  /// It puts the cursor into a column of the first row; the first column is 0.
  static func draw(_ rows: [Row], cursor: Int, over drawn: [Row]) -> String {
    var text = "\u{1B}[?25l"
    if drawn.isEmpty { text += "\u{1B}[2J" }
    for (index, row) in rows.enumerated()
    where !drawn.indices.contains(index) || drawn[index] != row {
      text += "\u{1B}[\(index + 1);1H\u{1B}[K\(row.text)"
    }
    return text + "\u{1B}[1;\(cursor + 1)H\u{1B}[?25h"
  }
}
