internal import Glue

/// The commits of a store under test: those that no test has asserted yet, and what each was.
final class Ledger<State: Sendable>: Monitor {
  private struct Content {
    var pending: [Commit<State>] = []
    var intents: [any Intent] = []
    var effects: [[any Effect]] = []
  }

  private let content = Guarded(Content())

  /// Those that are not asserted, oldest first.
  var pending: [Commit<State>] { content.withLock { $0.pending } }

  func observe(_ commit: Commit<State>) {
    content.withLock { content in
      content.pending.append(commit)
      content.intents.append(commit.intent)
      content.effects.append(commit.effects)
    }
  }

  /// Takes the oldest away.
  func removeNext() {
    _ = content.withLock { $0.pending.removeFirst() }
  }

  /// An intent and what it came from: "SearchIntent.found(3), from the effect …".
  func line(for commit: Commit<State>) -> String {
    guard case .effect = commit.cause else {
      return "\(text(of: commit.intent)), not from an effect"
    }
    return "\(text(of: commit.intent)), from the effect \(line(for: commit.cause))"
  }

  /// An effect and the intent whose reducer emitted it.
  func line(for cause: Cause) -> String {
    guard case .effect(let index, let number) = cause else { return "unknown" }
    let (intent, effect) = content.withLock { content in
      (content.intents[number - 1], content.effects[number - 1][index])
    }
    return "\(text(of: effect)) of \(text(of: intent))"
  }
}
