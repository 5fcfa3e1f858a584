internal import Glue
internal import GlueDescribing

/// A store that emits given effects, for a handler on trial.
struct ContractTrial: TakesHandlers {
  private struct Emit: Intent { let effects: [any Effect] }

  /// How much real time a handler has to return, wherever it works.
  let limit: Duration
  let clock = TestClock()
  let watch: TaskWatch

  /// Counts the handler's intents.
  let store: Store<Int>

  init(limit: Duration) {
    self.limit = limit
    clock.ownExecutor.patience = clock.ownExecutor.limits.strictPatience
    watch = TaskWatch(executor: clock.ownExecutor)
    let reducer: Reducer<Int> = { count, intent in
      if let emit = intent as? Emit { return emit.effects }
      count += 1
      return []
    }
    store = Store(state: 0, reducer: reducer, clock: clock, report: { _ in })
  }

  func take(_ handler: NewHandler) {
    var handler = handler
    handler.watch = watch
    store.take(handler)
  }

  /// Runs the handler for the effects, on the clock's executor, until all tasks rest.
  nonisolated(nonsending) func emit(_ effects: [any Effect]) async throws {
    try await run { [store] in store.dispatch(Emit(effects: effects)) }
  }

  /// Returns when the handlers have returned, or at the time limit.
  nonisolated(nonsending) func end() async throws {
    try await clock.ownExecutor.restOrThrow()
    await watch.end(atMost: limit)
    try await clock.ownExecutor.restOrThrow()
  }

  /// Starts effects at once and cancels them, either before their tasks begin or when these rest.
  nonisolated(nonsending) func cancel(_ effects: [any Effect], early: Bool) async throws {
    let id = "contract"
    let scheduled = effects.map { $0.scheduled(.concurrent, id: id) as any Effect }
    if early {
      try await run { [store] in
        store.dispatch(Emit(effects: scheduled))
        store.dispatch(Emit(effects: [CancelEffects(id: id)]))
      }
    } else {
      try await emit(scheduled)
      try await emit([CancelEffects(id: id)])
    }
    try await end()
  }

  private nonisolated(nonsending) func run(_ body: @escaping @Sendable () -> Void) async throws {
    if let unrest = await clock.ownExecutor.run(body) { throw unrest }
    try await clock.ownExecutor.restOrThrow()
  }
}

extension TestExecutor {
  nonisolated(nonsending) fileprivate func restOrThrow() async throws {
    if let unrest = await rest() { throw unrest }
  }
}

/// The errors of a handler on trial.
struct ContractReport {
  private struct Unknown: Effect {}

  let handler: String
  let place: Place

  func fail(_ fault: String) {
    Failure(message: "\(handler) \(fault).", place: place).report(to: .current)
  }

  /// Fails the test for a handler that never ends.
  func fail(_ error: any Error, in trial: ContractTrial) {
    guard let unrest = error as? Unrest else { return }
    trial.clock.fail(for: unrest, in: "The check of \(handler)", works(of: trial), at: place)
  }

  /// The work that doesn't end.
  private func works(of trial: ContractTrial) -> [String] {
    (trial.watch.marked + trial.watch.works).map { text(of: $0.effect) }
  }

  func expects<Handled>(_ effect: any Effect, toBe type: Handled.Type) -> Bool {
    if effect is Handled { return true }
    fail("is not called for \(text(of: effect)): it handles \(type)")
    return false
  }

  /// Runs the handler for an effect that it can't know, and for all that it knows, and checks that
  /// it is released with its store.
  nonisolated(nonsending) func checkEnd(
    withEffects effects: [any Effect], within limit: Duration = .zero,
    add: (ContractTrial) -> () -> Bool
  ) async {
    guard let (clock, watch, isKept) = await handle(effects, within: limit, add: add) else {
      return
    }
    await watch.end(atMost: limit)
    _ = await clock.ownExecutor.rest()
    if isKept() { fail("is still retained after its store was released") }
  }

  /// Runs a store's handler for effects, and releases the store; nil if the handler never ends.
  private nonisolated(nonsending) func handle(
    _ effects: [any Effect], within limit: Duration, add: (ContractTrial) -> () -> Bool
  ) async -> (TestClock, TaskWatch, isKept: () -> Bool)? {
    let trial = ContractTrial(limit: limit)
    let isKept = add(trial)
    do {
      try await trial.emit([Unknown()])
      try await trial.end()
      if trial.store.state > 0 { fail("dispatched an intent for an effect that it can't know") }
      try await trial.emit(effects)
    } catch {
      fail(error, in: trial)
      return nil
    }
    return (trial.clock, trial.watch, isKept)
  }
}
