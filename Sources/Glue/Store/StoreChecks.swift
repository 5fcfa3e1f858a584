// The finders of problems that look at a whole store.

internal import Synchronization

extension Store {
  /// Reports a problem, if problems are looked for.
  @usableFromInline
  func report(_ problem: Problem) {
    change { core, _ in core.runtime.effects.report(problem) }
  }

  /// Looks from now on for problems, to report them.
  ///
  /// Nothing waits for too long on an owned clock, which doesn't advance alone.
  @usableFromInline
  func look(report: @escaping @Sendable (Problem) -> Void) {
    let watch = timer.executor == nil ? Watch { [weak self] in self?.look() } : nil
    core.withLock { core in
      core.runtime.effects.checks = Checks(watch: watch, report: report)
      guard let watch else { return }
      core.runtime.outbox.use().checks.watch(by: watch) { [weak self] in self?.report($0) }
    }
  }
}

extension MiddlewareAPI {
  /// Middleware that debug builds watch.
  @_alwaysEmitIntoClient
  func watched(_ all: [Middleware<State>]) -> [Middleware<State>] {
    #if DEBUG
      all.enumerated().map { index, middleware in
        heard(middleware) { self.reportSilence(ofMiddlewareAt: index) }
      }
    #else
      all
    #endif
  }

  @usableFromInline
  func reportSilence(ofMiddlewareAt index: Int) {
    if isComplete.load(ordering: .acquiring) { store?.report(.silentMiddleware(index: index)) }
  }
}

// MARK: - Effects

extension StoreRuntime {
  /// Reports an effect that no handler handles.
  mutating func reportUnhandled(_ effect: any Effect) {
    if effects.checks == nil { return }
    effects.report(.unhandledEffect(type: "\(type(of: effect))"))
  }

  /// Reports effects that an earlier process has left and that have no handler.
  ///
  /// They are checked where the store begins, if it is made with its handlers, and at its first commit,
  /// because handlers can be added until then.
  mutating func checkForUnhandledLeftovers() {
    if effects.checks == nil { return }
    for run in effects.unfinished where run.phase == .unfinished && !(run.effect is Send) {
      if !handlers.route(for: run.effect).isHandled { reportUnhandled(run.effect) }
    }
  }
}

extension Core {
  /// Checks lasting effects after a commit.
  mutating func check(_ lasting: LastingEffects<State>, hasChanged: Bool) {
    if hasChanged, let type = lasting.renewedType {
      runtime.effects.report(.renewedLastingEffect(type: "\(type)"))
    }
    if hasChanged || !lasting.isChecked { checkForUnhandled(lasting) }
  }

  /// Checks whether the effects that have begun to last have a handler.
  ///
  /// The first ones are checked where the store begins. Without a block of handlers they are checked
  /// at the first commit, because handlers are added until then.
  mutating func checkForUnhandled(_ lasting: LastingEffects<State>) {
    let commits = company?.commits
    for active in lasting.active where active.since == commits || !lasting.isChecked {
      let effect = active.effect.effect
      if runtime.handlers.lastingRoute(for: effect).taskCount > 0 { continue }
      runtime.effects.report(.unhandledLastingEffect(type: "\(type(of: effect))"))
    }
    lasting.isChecked = true
  }
}

// MARK: - Deliveries that wait

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
        if let call = calls?.inFlight { waiting.append(call) }
      }
    #endif
    return waiting
  }
}

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
