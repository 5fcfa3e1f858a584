// Debug builds look for slow deliveries, and for middleware that passes nothing on.

#if DEBUG
  internal import Synchronization
#endif

extension Store {
  /// Runs the reducer; debug builds also report an intent that it doesn't know.
  @_alwaysEmitIntoClient @inline(__always)
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

  /// Looks for slow deliveries.
  func watchDeliveries() {
    #if DEBUG
      let watch = makeWatch()
      core.withLock { $0.runtime.outbox.use().watch = watch }
    #endif
  }

  #if DEBUG
    /// A watch over calls; nil on test clocks, which don't advance alone.
    func makeWatch() -> SlowCallWatch? {
      if timer.executor != nil { return nil }
      return SlowCallWatch(on: timer) { [weak self] in self?.report(.slowDelivery(type: "\($0)")) }
    }
  #endif
}

#if DEBUG
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
