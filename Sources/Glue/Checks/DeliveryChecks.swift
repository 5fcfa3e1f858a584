// Mistakes that hold deliveries up: those that wait, take long, pile up or don't end.

extension Store {
  /// Looks at what waits, and reports what has waited since the look before.
  package func look() {
    change { [delivery] core, _ in
      for problem in core.runtime.look(at: delivery.place) { core.runtime.effects.report(problem) }
    }
  }
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
      for calls in [outbox.drainer?.checks.slowCalls, mainActorCalls?.slowCalls] {
        guard let call = calls?.inFlight else { continue }
        waiting.append(
          Waiting(problem: .slowDelivery(type: "\(call.type)"), number: call.number))
      }
    #endif
    return waiting
  }
}

/// The record of a drainer's deliveries.
struct DeliveryChecks {
  /// The store's watch, if any.
  private(set) var watch: Watch?

  /// While it looks for deliveries that don't end: how many will have been taken when all are new, and
  /// the types of those.
  private var lastKnown: Int?
  private var subjects: [Any.Type] = []

  #if DEBUG
    private(set) var slowCalls: SlowCalls?

    /// When draining began, if there is a watch.
    private var start: Duration?
  #endif

  mutating func watch<State>(by watch: Watch, reportingTo store: Store<State>) {
    self.watch = watch
    #if DEBUG
      slowCalls = store.makeSlowCalls(watch)
    #endif
  }

  /// Whether draining has taken more than two seconds; debug builds with a watch measure that.
  var isLate: Bool {
    #if DEBUG
      if let watch, let start { return watch.time.now() - start > .seconds(2) }
    #endif
    return false
  }

  mutating func beginDraining() {
    if lastKnown != nil { (lastKnown, subjects) = (nil, []) }
    #if DEBUG
      start = watch?.time.now()
      watch?.begin()
    #endif
  }

  @inline(__always)
  func beginCall(of subject: @autoclosure () -> Any.Type?) {
    #if DEBUG
      if let slowCalls, let subject = subject() { slowCalls.begin(subject) }
    #endif
  }

  @inline(__always)
  func endCall() {
    #if DEBUG
      slowCalls?.end()
    #endif
  }

  /// Records the types of what is delivered, once all is delivered that was pending at the first call.
  ///
  /// - Parameters:
  ///   - new: the types of the deliveries taken last.
  ///   - count: how many have been taken.
  ///   - pending: how many are pending.
  /// - Returns: the types, when they are 16.
  mutating func types(of new: [Any.Type], count: Int, pending: Int) -> [Any.Type]? {
    guard let last = lastKnown else {
      lastKnown = count + pending
      return nil
    }
    if count > last { subjects += new }
    return subjects.count < 16 ? nil : subjects
  }
}

#if DEBUG
  extension Store {
    func makeSlowCalls(_ watch: Watch) -> SlowCalls {
      SlowCalls(now: watch.time.now) { [weak self] in
        self?.report(.slowDelivery(type: "\($0)"))
      }
    }
  }
#endif

// MARK: - Deliveries that don't end

extension StoreRuntime {
  /// Reports that deliveries pile up.
  @inline(__always)
  mutating func checkForGrowingOutbox() {
    if outbox.count > 100_000 { effects.report(.growingOutbox) }
  }

  /// Reports what a call delivers that doesn't end.
  mutating func checkForEndlessDelivery() {
    guard let drainer = outbox.drainer, drainer.count > Problem.suspectDeliveries,
      effects.checks != nil, drainer.count > Problem.manyDeliveries || drainer.checks.isLate,
      let types = drainer.lastTypes(pending: outbox.count)
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
