// Middleware that passes nothing on, which debug builds find.

#if DEBUG
  internal import Synchronization

  /// A middleware that is reported if it has passed on none of its first 100 intents.
  ///
  /// One that keeps `next` isn't, because it may pass them on later, in a batch or from a task.
  @usableFromInline
  func heard<State>(
    _ middleware: @escaping Middleware<State>, report: @escaping @Sendable () -> Void
  ) -> Middleware<State> {
    { dispatch, getState in
      let make = middleware(dispatch, getState)
      return { next in
        let silence = Silence()
        let pass = make(silence.ended(by: next))
        return { intent in
          pass(intent)
          if intent is any Runnable { return }
          if silence.isLong() { report() }
        }
      }
    }
  }

  /// How many intents a middleware has had without passing one on.
  private final class Silence: Sendable {
    private let count = Atomic(0)

    /// Whether the middleware has released `next`.
    private let isFinal = Atomic(false)

    /// Held by the `next` that the middleware gets, and by nothing else.
    private final class Link: Sendable {
      let silence: Silence

      init(_ silence: Silence) { self.silence = silence }

      deinit { silence.isFinal.store(true, ordering: .relaxed) }
    }

    /// The same function, which ends the silence when it is called.
    func ended(by next: @escaping DispatchFunc) -> DispatchFunc {
      let link = Link(self)
      return { intent in
        link.silence.count.store(.min, ordering: .relaxed)
        next(intent)
      }
    }

    /// Counts an intent; returns whether it reaches the limit, in a silence that lasts.
    func isLong() -> Bool {
      count.wrappingAdd(1, ordering: .relaxed).newValue == 100
        && isFinal.load(ordering: .relaxed)
    }
  }
#endif
