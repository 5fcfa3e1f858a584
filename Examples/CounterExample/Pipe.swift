import Foundation
import Glue
import TerminalSupport

/// Counts for a pipe: commands in, one a line, and a line for each out.
struct Pipe {
  let output: Output
  let errors: Output
  private let store: Store<AppState>

  init(store: Store<AppState>, output: Output, errors: Output) {
    self.store = store
    self.output = output
    self.errors = errors
    store.add(effectHandler: TerminalBell(output: output))
  }

  /// Runs until the commands end.
  ///
  /// - Returns: the status to exit with.
  func run() throws(SystemError) -> Int32 {
    let answers = answerEachIntent()
    defer { answers.cancel() }
    var status = EX_OK
    var (lines, number) = (LineReader(), 0)
    while let line = try lines.next() {
      number += 1
      switch String(decoding: trimmed(line), as: UTF8.self) {
      case "": continue
      case "+", "increment": store.dispatch(AppIntent.increment)
      case "-", "decrement": store.dispatch(AppIntent.decrement)
      case "q": return status
      case let text:
        status = EX_DATAERR
        let message = "line \(number): \(quoted(text)) is not a command; \(expected)"
        errors.write("CounterExample: \(message)\n")
      }
      do { try output.check() } catch let error where error.code == EPIPE { break }
    }
    return status
  }

  /// Writes a line for each intent, even one that changed nothing.
  ///
  /// The state, unlike its value, is not `Equatable`, so every commit is told. What is told on
  /// subscribing answers no command.
  private func answerEachIntent() -> Subscription {
    var isAnswer = false
    return store.subscribe { [output] state in
      if isAnswer { output.write("Counter: \(state.value)\n") }
      isAnswer = true
    }
  }
}

private let expected = "expected +, -, increment, decrement or q"

/// A line without the blanks around it.
private func trimmed(_ line: [UInt8]) -> [UInt8] {
  let blanks = Array(" \t\r".utf8)
  return line.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed()
}

/// Foreign text in quotes, of a long one the beginning.
func quoted(_ text: String) -> String {
  let characters = safeText(text.utf8)
  return "\"\(characters.prefix(40))\(characters.count > 40 ? "…" : "")\""
}
