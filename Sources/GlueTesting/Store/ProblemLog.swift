internal import Glue

/// The problems of a store under test, of which each fails the test.
///
/// Unhandled effects don't, because a test asserts them anyway, nor do problems that real time
/// judges.
final class ProblemLog: Sendable {
  private struct Content {
    /// The problems that have not failed the test yet.
    var heard: [Problem] = []

    /// The problems that the test expects and that have not come.
    var missing: [Problem]

    /// The types of intents that are for a parent, which isn't there.
    var delegates: [any Intent.Type] = []
  }

  private let content: Locked<Content>
  private let expected: [Problem]
  private let roster: Roster
  private let framework: Framework

  init(expecting expected: [Problem], _ roster: Roster, _ framework: Framework) {
    (self.expected, self.roster, self.framework) = (expected, roster, framework)
    content = Locked(Content(missing: expected))
  }

  /// Hears a problem, on any thread.
  func note(_ problem: Problem) {
    if expected.contains(where: problem.isSame) {
      return content.withLock { content in
        if let index = content.missing.firstIndex(where: problem.isSame) {
          content.missing.remove(at: index)
        }
      }
    }
    content.withLock { content in
      if case .unknownIntent(let type, _) = problem,
        content.delegates.contains(where: { "\($0)" == type })
      {
        return
      }
      if !content.heard.contains(where: problem.isSame) { content.heard.append(problem) }
    }
  }

  /// Hears no more that no reducer knows intents of this type.
  func delegate(_ type: any Intent.Type) { content.withLock { $0.delegates.append(type) } }

  /// Whether an intent is for a parent, which isn't there.
  func delegates(_ intent: any Intent) -> Bool {
    content.withLock { $0.delegates.contains { $0 == type(of: intent) } }
  }

  /// Takes the problems that fail the test and have not yet.
  func take() -> [Problem] {
    let heard = content.withLock { content in
      defer { content.heard = [] }
      return content.heard
    }
    return heard.filter(failsTests)
  }

  /// Fails the test for problems that were heard since the last step.
  func check(at place: Place) {
    let lines = take().map { "\($0)" }
    if lines.isEmpty { return }
    fail(
      "The store has reported \(count(lines.count, "problem")):" + indented(lines)
        + "\nIf the test is about that: `TestStore(…, expecting:)`.", at: place)
  }

  /// Fails the test for problems that it expects and that haven't come, once.
  func checkMissing(at place: Place) {
    let missing = content.withLock { content in
      defer { content.missing = [] }
      return content.missing
    }
    if missing.isEmpty { return }
    fail(
      "The store has not reported what `expecting:` names:" + indented(missing.map { "\($0)" }),
      at: place)
  }

  private func fail(_ message: String, at place: Place) {
    Failure(message: message, place: place).report(to: framework)
  }

  private func failsTests(_ problem: Problem) -> Bool {
    switch problem {
    case .unhandledEffect, .slowDelivery, .heldUpEffect, .heldUpShutdown, .stalledDelivery: false
    // An effect in flight at the end of the test.
    // Asserted anyway, like an unhandled effect, unless the test has a handler that never gets it.
    case .unhandledLastingEffect(let type): roster.hasSynchronousHandler(of: type)
    default: true
    }
  }
}

extension Problem {
  /// Whether another one is of the same kind and type; the cure may differ.
  fileprivate func isSame(_ other: Problem) -> Bool { withoutCure == other.withoutCure }
}
