import Glue
import GlueConsole

/// The events of the program.
enum SearchIntent: Intent, Equatable {
  /// Text was typed or pasted at the end of the query, its last character erased, or all of it.
  case type(String), erase, clear

  /// The selection moved down, or up, by a number of matches or pages.
  case move(Int), movePage(Int)

  /// The selected match was chosen; or the program that should show it could not.
  case open, failToOpen(String)

  /// The terminal has that size.
  case resize(Size)

  /// The search continues, or has ended.
  case report(Report), finish(Report)

  /// The intent of a key, if it has one.
  init?(_ key: Key) {
    switch key {
    case .text(let text): self = .type(text)
    case .backspace: self = .erase
    case .escape, .control("U"): self = .clear
    case .up, .control("P"): self = .move(-1)
    case .down, .control("N"): self = .move(1)
    case .pageUp: self = .movePage(-1)
    case .pageDown: self = .movePage(1)
    case .home: self = .move(-Results.limit)
    case .end: self = .move(Results.limit)
    case .enter: self = .open
    case .control: return nil
    }
  }
}

/// Searches the files below a directory.
struct SearchEffect: Effect, Equatable {
  var directory: Path
  var text: String
}

/// Shows a line of a file in the user's editor or pager.
struct OpenEffect: Effect, Equatable {
  var file: Path
  var line: Int
}
