public import Glue

extension TestStore {
  /// Fails the test if an effect of a type begins, or begins to last: a stub that must not be called.
  ///
  ///     test.forbid(SearchEffect.self)
  ///
  /// Use it where effects need not be asserted, or begin later: with `exhaustivity: .off`, for
  /// effects with a policy, and for those that last. The next step fails, at its line.
  ///
  /// - Parameter type: the type of the effects.
  public func forbid<E: Effect>(_ type: E.Type) {
    stub(type) { [forbidden] effect in
      forbidden.note("\(text(of: effect)), by `forbid(\(type).self)`")
      return []
    }
  }

  /// Fails the test for forbidden effects that have begun since the last step.
  func checkForbidden(at place: Place) {
    let lines = forbidden.take()
    if lines.isEmpty { return }
    let subject = count(lines.count, "effect") + (lines.count == 1 ? " has" : " have")
    fail("\(subject) begun that the test forbids:" + indented(lines), at: place)
  }
}

/// The effects that have begun although a test forbids them, and have not failed it yet.
final class ForbiddenEffects: Sendable {
  private let lines = Locked<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
