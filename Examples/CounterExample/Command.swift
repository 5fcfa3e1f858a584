/// What the user can ask for, by a key or by a line.
enum Command: Equatable {
  case send(AppIntent)
  case quit

  /// What ``init(line:)`` understands, for messages.
  static let expected = "+, -, increment, decrement or q"

  /// The command that a line of input names, if it names one.
  init?(line: Line) {
    switch line.isCut ? "" : String(decoding: line.content, as: UTF8.self) {
    case "+", "increment": self = .send(.increment)
    case "-", "decrement": self = .send(.decrement)
    case "q": self = .quit
    default: return nil
    }
  }
}
