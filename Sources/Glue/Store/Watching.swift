// Stores with a report look for what waits too long. Debug builds also look for slow deliveries, and for
// middleware that passes nothing on.

#if DEBUG
  internal import Synchronization
#endif

extension Store {
  /// Reports a problem, if problems are looked for.
  @usableFromInline
  func report(_ problem: Problem) {
    change { core, _ in core.runtime.effects.report(problem) }
  }

  /// Looks from now on for problems, to report them.
  ///
  /// Nothing waits for too long on a test clock, which doesn't advance alone.
  @usableFromInline
  func look(report: @escaping @Sendable (Problem) -> Void) {
    let watch = timer.executor == nil ? Watch { [weak self] in self?.look() } : nil
    core.withLock { core in
      core.runtime.effects.checks = Checks(watch: watch, report: report)
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
    guard let watch = effects.checks?.watch else { return [] }
    let waiting = effects.waiting + waitingDeliveries(at: place)
    let goesOn = !waiting.isEmpty || outbox.isDraining || !outbox.calls.isEmpty
    return watch.look(at: waiting, goesOn: goesOn)
  }

  private func waitingDeliveries(at place: DeliveryPlace) -> [Waiting] {
    var waiting: [Waiting] = []
    if let body = outbox.waitingBody {
      waiting = [Waiting(problem: place.problem, number: body)]
    }
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

// MARK: - Deliveries that don't end

extension StoreRuntime {
  /// Reports what a call that goes on and on delivers.
  mutating func checkForEndlessDelivery() {
    guard let drainer = outbox.drainer, drainer.count > Problem.suspectDeliveries,
      effects.checks != nil, drainer.count > Problem.manyDeliveries || drainer.isLate,
      let types = drainer.subjects(pending: outbox.count)
    else { return }
    effects.report(.endlessDelivery(types: distinct(types.map { "\($0)" })))
  }
}

/// Returns texts in order, without repetitions.
///
/// There are few, and a set of them would add 8 KB to a program.
private func distinct(_ texts: [String]) -> [String] {
  texts.reduce(into: []) { distinct, text in
    let index = distinct.firstIndex { $0 >= text } ?? distinct.endIndex
    if index == distinct.endIndex || distinct[index] != text { distinct.insert(text, at: index) }
  }
}

#if DEBUG
  // MARK: - Intents that no reducer knows

  extension StoreRuntime {
    /// Ends the record of a reduction, and reports an intent that no reducer knew.
    @usableFromInline
    mutating func endRecognition(
      of intent: any Intent, on thread: ThreadID, in outer: Recognition
    ) {
      if let problem = problem(with: intent, on: thread, in: outer) { effects.report(problem) }
    }
  }

  // MARK: - Middleware that passes nothing on

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
            if silence.isLong(), self.isComplete.load(ordering: .acquiring) {
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
