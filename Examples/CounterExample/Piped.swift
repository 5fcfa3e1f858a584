import Foundation
import Glue
import TerminalSupport

/// Counts for a pipe: commands in, one a line, and a line for each out.
struct Piped {
  private let output: Output
  private let errors: Output
  private let store = Store(state: AppState(), reducer: reducer)
  private var status = ExitStatus.success

  init(output: Output, errors: Output) {
    self.output = output
    self.errors = errors
  }

  /// Runs until the commands end.
  mutating func run() throws(SystemError) -> ExitStatus {
    store.add(effectHandler: TerminalBell(output: output))
    let answers = answerEachIntent()
    defer { answers.cancel() }
    var lines = LineReader(read: readInput)
    while let line = try lines.next(), obey(line) {
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

  /// - Returns: whether to go on.
  private mutating func obey(_ line: Line) -> Bool {
    if line.content.isEmpty { return true }
    switch Command(line: line) {
    case .send(let intent): store.dispatch(intent)
    case .quit: return false
    case nil: report(line)
    }
    return true
  }

  private mutating func report(_ line: Line) {
    status = .badInput
    let text = quoted(line.content)
    errors.write(
      "CounterExample: line \(line.number): \(text) is not a command; expected \(Command.expected)\n"
    )
  }
}
