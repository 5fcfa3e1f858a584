import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("G11: from the commit that cancels an effect on, no commit comes from it", .unwatched)
struct G11CancellationTests {
  private let clock = TestClock()
  private let store: Store<[String]>

  init() {
    store = Store(clock: clock)
  }

  private func emit(_ name: String, _ policy: EffectPolicy = .concurrent) {
    store.emit(Work(name: name).scheduled(policy, id: "id"))
  }

  @Test("a canceled effect's intents are not reduced, though the drain is blocked")
  func canceledWhileRunning() async {
    let mayDispatch = Gate()
    let hasDispatched = Signal()
    let store = Store<[String]>()
    store.onWork { name, dispatch in
      mayDispatch.pass()
      dispatch(WorkIntent.note(name))
      hasDispatched.send()
    }
    let (isBlocked, mayGoOn) = (Gate(), Gate())
    store.onQuickWork { _, _ in
      isBlocked.open()
      mayGoOn.pass()
    }
    store.emit(Work(name: "a").scheduled(.latest, id: "id"))
    async let drain: Void = onThread { store.emit(QuickWork(name: "blocks")) }
    await onThread {
      isBlocked.pass()
      store.emit(CancelEffects(id: "id"))
      mayDispatch.open()
    }
    await hasDispatched.wait()
    mayGoOn.open()
    await drain
    await store.settled()
    #expect(store.state == [])
  }

  @Test("intents that it dispatched before are delivered in full")
  func dispatchedBefore() async {
    let delivered = Transcript<String>()
    store.onWork { name, dispatch in dispatch(WorkIntent.emit([QuickWork(name: name)])) }
    store.onQuickWork { [store] name, dispatch in
      if name == "a" { store.emit(CancelEffects(id: "id")) }
      delivered.write(name)
      dispatch(WorkIntent.note(name))
    }
    emit("a")
    await clock.rest()
    await store.settled()
    #expect(delivered.lines == ["a"])
    #expect(store.state == ["a"])
  }

  @Test("a queued effect that is canceled never starts; a later one of its id does")
  func canceledWhileQueued() async {
    let started = Transcript<String>()
    store.onWork { name, _ in started.write(name) }
    store.onQuickWork { [self] _, _ in
      emit("a", .latest)
      store.emit(CancelEffects(id: "id"))
      emit("b", .latest)
    }
    store.emit(QuickWork(name: "blocks"))
    await clock.rest()
    await store.settled()
    #expect(started.lines == ["b"])
  }

  @Test("of one array, only what precedes the cancellation is canceled")
  func oneArray() async {
    store.onWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    store.emit(
      Work(name: "a").scheduled(.latest, id: "id"), CancelEffects(id: "id"),
      Work(name: "b").scheduled(.latest, id: "id"))
    await clock.rest()
    #expect(store.state == ["b"])
  }

  @Test("a synchronous handler's callback is dropped, too, from within its call on")
  func synchronousHandler() async {
    store.onQuickWork { [store] name, dispatch in
      dispatch(WorkIntent.note("before"))
      store.emit(CancelEffects(id: "id"))
      dispatch(WorkIntent.note("after"))
    }
    store.on(QuickWork.self) { _, _ async in Issue.record("a canceled effect gets a task") }
    store.emit(QuickWork(name: "a").scheduled(.latest, id: "id"))
    #expect(store.state == ["before"])
    await store.settled()
  }

  @Test("an effect that cancels itself by what it dispatches gets no further")
  func cancelsItself() async {
    store.onWork { name, dispatch in
      if name == "next" { return dispatch(WorkIntent.note("next")) }
      dispatch(WorkIntent.emit([CancelEffects(id: "id"), Work(name: "next")]))
      dispatch(WorkIntent.note("late"))
    }
    emit("a")
    await clock.rest()
    await store.settled()
    #expect(store.state == ["next"])
  }

  @Test("an onCancel that dispatches waits for nothing, and is dropped", arguments: Ending.all)
  func onCancelDispatches(ending: Ending) async {
    let canceled = Transcript<String>()
    let slot = Shared<Store<[String]>?>(Store<[String]>(clock: clock))
    let notes = Transcript<[String]>()
    slot.value?.onWork { [clock] _, dispatch in
      await withTaskCancellationHandler {
        try? await clock.sleep(for: .seconds(1))
      } onCancel: {
        dispatch(WorkIntent.note("canceled"))
        canceled.write("canceled")
      }
      dispatch(WorkIntent.note("ended"))
    }
    slot.value?.emit(Work(name: "a").scheduled(.latest, id: "id"))
    let subscription = slot.value?.subscribe { notes.write($0) }
    await clock.rest()
    switch ending {
    case .cancellation: slot.value?.emit(CancelEffects(id: "id"))
    case .replacement: slot.value?.emit(QuickWork(name: "b").scheduled(.latest, id: "id"))
    case .shutdown: await slot.value?.shutdown()
    case .deinitialisation: slot.value = nil
    }
    await clock.rest()
    #expect(canceled.lines == ["canceled"])
    #expect(notes.lines == [[]])
    #expect(clock.sleepers == 0)
    withExtendedLifetime(subscription) {}
  }

  enum Ending: CaseIterable {
    case cancellation, replacement, shutdown, deinitialisation
    static var all: [Ending] { allCases }
  }

  @Test("a kept callback works after its effect has ended, even if the id is canceled then")
  func keptCallback() async {
    let kept = Shared<[DispatchFunc]>([])
    let keep: @Sendable (String, @escaping DispatchFunc) -> Void = { _, dispatch in
      kept.change { $0.append(dispatch) }
    }
    store.onWork(keep)
    store.onQuickWork(keep)
    emit("a")
    await clock.rest()
    store.emit(QuickWork(name: "b").scheduled(.latest, id: "id"))
    store.emit(QuickWork(name: "c"))
    store.emit(CancelEffects(id: "id"))
    for (index, dispatch) in kept.value.enumerated() { dispatch(WorkIntent.note("\(index)")) }
    #expect(store.state == ["0", "1", "2"])
    await store.shutdown()
    for dispatch in kept.value { dispatch(WorkIntent.note("after")) }
    #expect(store.state.count == 6)
  }

  @Test("with middleware, nothing of a canceled effect gets into the chain")
  func middleware() async {
    let seen = Transcript<String>()
    let store = Store<[String]>(
      middleware: [
        { _, _ in
          { next in
            { intent in
              if case WorkIntent.note(let note) = intent { seen.write(note) }
              next(intent)
            }
          }
        }
      ], clock: clock)
    store.onWork { [clock] name, dispatch in
      dispatch(WorkIntent.note("start"))
      try? await clock.sleep(for: .seconds(1))
      dispatch(WorkIntent.note("end"))
    }
    store.emit(Work(name: "a").scheduled(.latest, id: "id"))
    await clock.rest()
    store.emit(CancelEffects(id: "id"))
    await clock.rest()
    #expect(seen.lines == ["start"])
    #expect(store.state == ["start"])
  }

  @Test("a thunk whose effect is canceled on its way through the chain starts nothing")
  func thunk() async {
    let store = Store<[String]>(
      middleware: [
        { dispatch, _ in
          { next in
            { intent in
              if intent is AsyncThunk<[String]> {
                dispatch(WorkIntent.emit([CancelEffects(id: "id")]))
              }
              next(intent)
            }
          }
        }, thunkMiddleware(),
      ], clock: clock)
    store.onWork { _, dispatch in
      dispatch(AsyncThunk<[String]> { dispatch, _ in dispatch(WorkIntent.note("thunk")) })
    }
    store.emit(Work(name: "a").scheduled(.latest, id: "id"))
    await clock.rest()
    await store.settled()
    #expect(store.state == [])
  }
}
