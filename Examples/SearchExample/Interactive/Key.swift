/// A key, or several that type text.
enum Key {
  case text(String)
  case control(UInt8)

  /// What follows `ESC [` or `ESC O`.
  case sequence(String)

  /// What the key asks for, if it does.
  var command: Command? {
    switch self {
    case .text(let text): .send(.type(text))
    case .control(let byte): controls[byte]
    case .sequence(let sequence): sequences[sequence]
    }
  }
}

/// By the bytes of Ctrl and a letter, Enter, Backspace and Escape.
private let controls: [UInt8: Command] = [
  0x03: .quit,
  0x08: .send(.erase),
  0x0A: .send(.open),
  0x0D: .send(.open),
  0x0E: .send(.move(1)),
  0x10: .send(.move(-1)),
  0x15: .send(.clear),
  0x1B: .send(.clear),
  0x7F: .send(.erase),
]

/// The arrows, the page keys, Home and End.
private let sequences: [String: Command] = [
  "A": .send(.move(-1)),
  "B": .send(.move(1)),
  "5~": .send(.movePage(-1)),
  "6~": .send(.movePage(1)),
  "H": .send(.move(-Results.limit)),
  "1~": .send(.move(-Results.limit)),
  "F": .send(.move(Results.limit)),
  "4~": .send(.move(Results.limit)),
]
