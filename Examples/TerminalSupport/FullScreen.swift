/// What makes a terminal show rows on all of its screen.
package enum FullScreen {
  /// Takes the screen, on which rows do not wrap, and has pasted text bracketed.
  package static let enter = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h"

  /// Gives back the screen as it was before.
  package static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l"

  /// Draws the rows that differ from what the terminal shows, of which it may not know any, and puts
  /// the cursor into a column of the first; the first column is 0.
  package static func draw(_ rows: [Row], cursor: Int, over drawn: [Row]) -> String {
    var text = "\u{1B}[?25l"
    if drawn.isEmpty { text += "\u{1B}[2J" }
    for (index, row) in rows.enumerated()
    where !drawn.indices.contains(index) || drawn[index] != row {
      text += "\u{1B}[\(index + 1);1H\u{1B}[K\(row.text)"
    }
    return text + "\u{1B}[1;\(cursor + 1)H\u{1B}[?25h"
  }
}
