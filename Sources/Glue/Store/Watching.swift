// Debug builds look for slow deliveries, and for middleware that passes nothing on.

#if DEBUG
  internal import Dispatch
  internal import Synchronization
#endif

extension Store {
  /// Reports a problem, if problems are looked for.
  @usableFromInline
  func tell(of problem: Problem) {
    if report != nil { change { core, _ in core.work.effects.report(problem) } }
  }

  /// ``timing()`` for calls of one type.
  func timing(of type: Any.Type) -> Move? {
    guard let timing = timing() else { return nil }
    return { call in timing(type, call) }
  }

  /// Makes calls, and reports one that takes more than a second; nil in optimized builds.
  ///
  /// The first call is also reported if it takes 10 s of real time, as one that never returns
  /// does. Test clocks don't advance on their own, so nothing is measured on them.
  @usableFromInline
  func timing() -> (@Sendable (_ type: Any.Type, _ call: () -> Void) -> Void)? {
    #if DEBUG
      if timer.executor != nil { return nil }
      let first = FirstCall()
      return { [weak self, timer] type, call in
        let report = { @Sendable [weak self] () -> Void in
          self?.tell(of: .slowDelivery(type: "\(type)"))
        }
        let start = timer.elapsed()
        first.begin(report)
        call()
        first.end()
        if timer.elapsed() - start > .seconds(1) { report() }
      }
    #else
      nil
    #endif
  }
}

#if DEBUG
  /// The real time, in seconds, after which a first call that has not returned is reported.
  package enum FirstCallWatch {
    package static let delay = TaskLocal(wrappedValue: 10.0)
  }

  /// A watch over the first call of a handler or a subscriber.
  private final class FirstCall: Sendable {
    private enum Phase: UInt8, AtomicRepresentable { case pending, running, returned }

    private let phase = Atomic(Phase.pending)

    func begin(_ report: @escaping @Sendable () -> Void) {
      let (isFirst, _) = phase.compareExchange(
        expected: .pending, desired: .running, ordering: .relaxed)
      if !isFirst { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + FirstCallWatch.delay.get()) {
        [weak self] in
        if self?.phase.load(ordering: .relaxed) == .running { report() }
      }
    }

    func end() { phase.store(.returned, ordering: .relaxed) }
  }

  extension StoreBox {
    /// A middleware that is reported if it passes on none of its first 100 intents.
    @usableFromInline
    func watched(_ middleware: @escaping Middleware<State>, at index: Int) -> Middleware<State> {
      { dispatch, getState in
        let make = middleware(dispatch, getState)
        let silence = Silence()
        return { next in
          let pass = make { intent in
            silence.end()
            next(intent)
          }
          return { intent in
            pass(intent)
            if intent is any Runnable { return }
            if silence.isLong(), self.isBuilt.load(ordering: .acquiring) {
              self.built?.tell(of: .silentMiddleware(index: index))
            }
          }
        }
      }
    }
  }

  /// How many intents a middleware has had without passing one on; negative once it has.
  private final class Silence: Sendable {
    private let count = Atomic(0)

    func end() { count.store(.min, ordering: .relaxed) }

    /// Counts an intent; returns whether it reaches the limit.
    func isLong() -> Bool { count.wrappingAdd(1, ordering: .relaxed).newValue == 100 }
  }
#endif
