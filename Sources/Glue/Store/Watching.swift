// Stores with a report look for what waits too long. Debug builds also look for slow deliveries, and for
// middleware that passes nothing on.

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

  /// Looks from now on for problems, to report them.
  ///
  /// Nothing waits for too long on a test clock, which doesn't advance alone.
  func look(for problems: ProblemReport) {
    let watch = timer.executor == nil ? Watch { [weak self] in self?.look() } : nil
    core.withLock { core in
      let extras = core.runtime.effects.useExtras()
      (extras.problems, extras.watch) = (problems, watch)
      guard let watch else { return }
      let drainer = core.runtime.outbox.use()
      drainer.watch = watch
      #if DEBUG
        drainer.slowCalls = makeSlowCalls(watch)
      #endif
    }
  }

  /// Looks at what waits, and reports what has waited since the look before.
  package func look() {
    change { [delivery] core, _ in
      for problem in core.runtime.look(at: delivery.place) { core.runtime.effects.report(problem) }
    }
  }

  #if DEBUG
    func makeSlowCalls(_ watch: Watch) -> SlowCalls {
      SlowCalls(now: watch.time.now) { [weak self] in
        self?.report(.slowDelivery(type: "\($0)"))
      }
    }
  #endif
}

extension StoreRuntime {
  /// Looks at what waits, of which posted deliveries wait at `place`.
  ///
  /// - Returns: the problems of what has waited since the look before.
  fileprivate func look(at place: DeliveryPlace) -> [Problem] {
    guard let watch = effects.extras?.watch else { return [] }
    let waiting = effects.waiting + waitingDeliveries(at: hasBegun ? place : .block)
    let goesOn = !waiting.isEmpty || outbox.isDraining || !outbox.calls.isEmpty
    return watch.look(at: waiting, goesOn: goesOn)
  }

  private func waitingDeliveries(at place: DeliveryPlace) -> [Waiting] {
    var waiting: [Waiting] = []
    if case .block = place {
      waiting = [Waiting(problem: place.problem, number: 0)]
    } else if let body = outbox.waitingBody {
      waiting = [Waiting(problem: place.problem, number: body)]
    }
    let mainActorCalls = effects.extras?.mainActorCalls
    if let step = mainActorCalls?.waiting {
      waiting.append(Waiting(problem: DeliveryPlace.mainActor.problem, number: step))
    }
    #if DEBUG
      for calls in [outbox.drainer?.slowCalls, mainActorCalls?.slowCalls] {
        guard let call = calls?.inFlight else { continue }
        waiting.append(
          Waiting(problem: .slowDelivery(type: "\(call.type)"), number: call.number))
      }
    #endif
    return waiting
  }
}

#if DEBUG
  extension MiddlewareAPI {
    /// A middleware that is reported if it has passed on none of its first 100 intents.
    ///
    /// One that keeps `next` isn't, because it may pass them on later, in a batch or from a task.
    @usableFromInline
    func watched(_ middleware: @escaping Middleware<State>, at index: Int) -> Middleware<State> {
      { dispatch, getState in
        let make = middleware(dispatch, getState)
        return { next in
          let silence = Silence()
          let pass = make(silence.ended(by: next))
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
