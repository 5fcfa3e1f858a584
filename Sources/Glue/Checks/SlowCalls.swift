#if DEBUG
  /// Measures calls that are made one after the other, and reports those of more than a second.
  final class SlowCalls: Sendable {
    private struct Content {
      var count = 0
      var current: (type: Any.Type, start: Duration)?
    }

    private let content = Locked(Content())
    private let now: @Sendable () -> Duration
    private let report: @Sendable (Any.Type) -> Void

    init(
      now: @escaping @Sendable () -> Duration, report: @escaping @Sendable (Any.Type) -> Void
    ) {
      (self.now, self.report) = (now, report)
    }

    /// The type and the number of the call that hasn't returned, if any.
    var inFlight: (type: Any.Type, number: Int)? {
      content.withLock { content in content.current.map { ($0.type, content.count) } }
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
      if now() - start > .seconds(1) { report(type) }
    }
  }
#endif
