internal import Glue

/// A store that emits the effects that it is told to, for a handler on trial.
struct ContractTrial {
  private struct Emit: Intent { let effects: [any Effect] }

  let clock = TestClock()
  let watch = TaskWatch()

  /// Counts the intents that come from the handler.
  let store: Store<Int>

  init() {
    let reducer: Reducer<Int> = { count, intent in
      if let emit = intent as? Emit { return emit.effects }
      count += 1
      return []
    }
    store = Store(state: 0, reducer: reducer, clock: clock)
  }

  func add(_ handler: some AsyncEffectHandler) {
    store.add(effectHandler: WatchedHandler(handler: handler, watch: watch))
  }

  /// Has the effects handled, on the clock's executor, until all rests.
  nonisolated(nonsending) func emit(_ effects: [any Effect]) async {
    await clock.ownExecutor.run { [store] in store.dispatch(Emit(effects: effects)) }
    await clock.rest()
  }

  /// Starts effects at once and cancels them, either before their tasks begin or when these rest.
  nonisolated(nonsending) func cancel(_ effects: [any Effect], early: Bool) async {
    let id = "contract"
    let scheduled = effects.map { $0.scheduled(.delay(.zero), id: id) as any Effect }
    if early {
      await clock.ownExecutor.run { [store] in
        store.dispatch(Emit(effects: scheduled))
        store.dispatch(Emit(effects: [CancelEffects(id: id)]))
      }
      await clock.rest()
    } else {
      await emit(scheduled)
      await emit([CancelEffects(id: id)])
    }
  }
}

/// Says what a handler on trial has done wrong.
struct ContractReport {
  private struct Unknown: Effect {}

  let handler: String
  let place: Place

  func fail(_ fault: String) {
    Failure(message: "\(handler) \(fault).", place: place).report(to: .current)
  }

  func expects<Handled>(_ effect: any Effect, toBe type: Handled.Type) -> Bool {
    if effect is Handled { return true }
    fail("is not called for \(text(of: effect)): it handles \(type)")
    return false
  }

  /// Checks what a handler does with an effect that it cannot know, and with all it knows, and
  /// whether it goes with its store.
  nonisolated(nonsending) func checkEnd(
    withEffects effects: [any Effect], add: (ContractTrial) -> () -> Bool
  ) async {
    let (clock, isKept) = await handle(effects, add: add)
    await clock.rest()
    if isKept() { fail("is still kept by something when its store has gone") }
  }

  /// Has a store handle effects, and releases it.
  private nonisolated(nonsending) func handle(
    _ effects: [any Effect], add: (ContractTrial) -> () -> Bool
  ) async -> (TestClock, isKept: () -> Bool) {
    let trial = ContractTrial()
    let isKept = add(trial)
    await trial.emit([Unknown()])
    if trial.store.state > 0 { fail("dispatched an intent for an effect that it cannot know") }
    await trial.emit(effects)
    return (trial.clock, isKept)
  }
}

/// Holds a synchronous handler for a store, and notes when that goes whether somebody else does.
final class HeldHandler<Handler: EffectHandler>: EffectHandler {
  private var handler: Handler
  private let end: HolderEnd

  init(_ handler: sending Handler, end: HolderEnd) {
    self.handler = handler
    self.end = end
  }

  deinit {
    end.isKept.withLock { $0 = !isKnownUniquelyReferenced(&handler) }
  }

  func handle(effect: Handler.Handled, dispatch: @escaping DispatchFunc) {
    handler.handle(effect: effect, dispatch: dispatch)
  }
}

/// Whether a handler was kept by somebody else when its store went.
final class HolderEnd: Sendable {
  fileprivate let isKept = Guarded(false)

  var isHandlerKept: Bool { isKept.withLock { $0 } }
}
