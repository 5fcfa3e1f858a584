#if DEBUG
  /// Measures calls that are made one after the other, and reports those of more than a second.
  final class SlowCalls: Sendable {
    private struct Content {
      var count = 0
      var current: (type: Any.Type, start: Duration)?
    }

    private let content = Locked(Content())
    private let now: @Sendable () -> Duration
    private let report: @Sendable (Problem) -> Void

    init(
      now: @escaping @Sendable () -> Duration, report: @escaping @Sendable (Problem) -> Void
    ) {
      (self.now, self.report) = (now, report)
    }

    /// The call that hasn't returned, if any.
    var inFlight: Waiting? {
      content.withLock { content in
        content.current.map { Waiting(problem: problem(of: $0.type), number: content.count) }
      }
    }

    func begin(_ type: Any.Type) {
      let start = now()
      content.withLock { content in
        content.count += 1
        content.current = (type, start)
      }
    }

    func end() {
      guard let (type, start) = content.withLock({ $0.current.take() }) else { return }
      if now() - start > .seconds(1) { report(problem(of: type)) }
    }

    private func problem(of type: Any.Type) -> Problem { .slowDelivery(type: "\(type)") }
  }
#endif
