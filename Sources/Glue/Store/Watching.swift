// Debug builds look for slow deliveries, and for middleware that passes nothing on.

#if DEBUG
  internal import Dispatch
  internal import Synchronization
#endif

extension Store {
  /// Runs the reducer; debug builds also report an intent that it doesn't know.
  @inlinable @inline(__always)
  func reduce(
    _ intent: any Intent, in core: inout Core<State>, by thread: ThreadID
  ) -> [any Effect] {
    #if DEBUG
      var effects: [any Effect] = []
      let problem = problem(with: intent, on: thread) { effects = reducer(&core.state, intent) }
      if let problem { core.runtime.effects.report(problem) }
      return effects
    #else
      reducer(&core.state, intent)
    #endif
  }

  /// Reports a problem, if problems are looked for.
  @usableFromInline
  func report(_ problem: Problem) {
    change { core, _ in core.runtime.effects.report(problem) }
  }

  /// Looks for slow deliveries in debug builds, except on test clocks, which don't advance alone.
  func watchDeliveries() {
    #if DEBUG
      if timer.executor != nil { return }
      let watch = DeliveryWatch(on: timer) { [weak self] in self?.report($0) }
      core.withLock { $0.runtime.outbox.use().watch = watch }
    #endif
  }
}

#if DEBUG
  /// The real time, in seconds, after which a first call that has not returned is reported.
  package enum FirstCallWatch {
    package static let delay = TaskLocal(wrappedValue: 10.0)
  }

  /// Reports a delivery that takes more than a second, and the first of its type if it hasn't ended
  /// after 10 s of real time, as one that never ends doesn't.
  ///
  /// `@unchecked Sendable` is sound because only the drainer uses its variables.
  final class DeliveryWatch: @unchecked Sendable {
    private let timer: any Timer
    private let report: @Sendable (Problem) -> Void
    private var current: (type: Any.Type, start: Duration)?
    private var types: Set<ObjectIdentifier> = []
    private var count = 0

    /// The number of the delivery in flight; 0 if there is none.
    private let inFlight = Atomic(0)

    init(on timer: any Timer, report: @escaping @Sendable (Problem) -> Void) {
      (self.timer, self.report) = (timer, report)
    }

    func begin(_ type: Any.Type) {
      count += 1
      inFlight.store(count, ordering: .relaxed)
      current = (type, timer.elapsed())
      if !types.insert(ObjectIdentifier(type)).inserted { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + FirstCallWatch.delay.get()) {
        [weak self, count] in
        if self?.inFlight.load(ordering: .relaxed) != count { return }
        self?.report(.slowDelivery(type: "\(type)"))
      }
    }

    func end() {
      inFlight.store(0, ordering: .relaxed)
      guard let (type, start) = current.take() else { return }
      if timer.elapsed() - start > .seconds(1) { report(.slowDelivery(type: "\(type)")) }
    }
  }

  extension MiddlewareAPI {
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
              self.store?.report(.silentMiddleware(index: index))
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
