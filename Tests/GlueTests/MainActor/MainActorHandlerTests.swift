import Glue
import GlueTesting
import ProcessSupport
import Testing

/// The main actor is held for as long as a test does not suspend, so calls that were moved wait.
@Suite("Handlers of the main actor", .unwatched)
@MainActor
struct MainActorHandlerTests {
  private let store = Store<[String]>()
  private let transcript = Transcript<String>()

  @Test("a handler is called at once where the main actor dispatches, else on the main actor")
  func atOnceOrMoved() async {
    store.noteOnMainActor(transcript)
    store.emit(QuickWork(name: "here"))
    #expect(store.state == ["here"])
    elsewhere { [store] in store.emit(QuickWork(name: "there")) }
    #expect(store.state == ["here"])
    await store.settled()
    #expect(store.state == ["here", "there"])
  }

  @Test("an object may conform on the main actor alone")
  func isolatedConformance() async {
    @MainActor final class Screen: @MainActor EffectHandler {
      var names: [String] = []
      func handle(effect: QuickWork, dispatch: @escaping DispatchFunc) {
        names.append(effect.name)
        dispatch(WorkIntent.note(effect.name))
      }
    }
    let screen = Screen()
    store.add(effectHandler: screen)
    store.emit(Work(name: "another type"), QuickWork(name: "here"))
    elsewhere { [store] in store.emit(QuickWork(name: "there")) }
    #expect(screen.names == ["here"])
    await store.settled()
    #expect(screen.names == ["here", "there"])
    #expect(store.state == ["here", "there"])
  }

  @Test("handlers and subscribers there are called in one order, commit by commit")
  func oneOrder() async {
    let subscription = store.subscribe(selector: \.count) { @MainActor [transcript] in
      transcript.write("count \($0)")
    }
    store.on(QuickWork.self) { @MainActor [transcript] work, _ in transcript.write(work.name) }
    elsewhere { [store] in
      store.note("1")
      store.emit(QuickWork(name: "a"), QuickWork(name: "b"))
      store.note("2")
    }
    await store.delivered()
    #expect(transcript.lines == ["count 0", "count 1", "a", "b", "count 2"])
    withExtendedLifetime(subscription) {}
  }

  @Test("each effect goes to all handlers in order; those of no actor do not wait")
  func severalHandlers() async {
    store.onQuickWork { [transcript] name, _ in transcript.write("first \(name)") }
    store.on(QuickWork.self) { @MainActor [transcript] work, _ in
      transcript.write("main \(work.name)")
    }
    store.onQuickWork { [transcript] name, _ in transcript.write("last \(name)") }
    store.emit(QuickWork(name: "a"))
    #expect(transcript.lines == ["first a", "main a", "last a"])
    elsewhere { [store] in store.emit(QuickWork(name: "b")) }
    #expect(transcript.lines.suffix(2) == ["first b", "last b"])
    await store.settled()
    #expect(transcript.lines.last == "main b")
  }

  @Test("a store that goes leaves calls that wait; what they dispatch does nothing")
  func storeGoes() async {
    let called = Signal()
    let last = Shared<Store<[String]>?>(Store())
    let weakly = Weak(object: last.value)
    last.value?.on(QuickWork.self) { @MainActor [transcript] work, dispatch in
      dispatch(WorkIntent.note("late"))
      transcript.write(work.name)
      called.send()
    }
    elsewhere { last.exchange(nil)?.emit(QuickWork(name: "1")) }
    #expect(weakly.object == nil)
    #expect(transcript.lines == [])
    await called.wait()
    #expect(transcript.lines == ["1"])
  }

  @Test("a monitor gets the effect that caused their intents")
  func causes() async {
    let monitor = CauseMonitor()
    let store = Store(state: [], reducer: working, monitors: [monitor])
    store.on(QuickWork.self) { @MainActor work, dispatch in dispatch(WorkIntent.note(work.name)) }
    elsewhere { store.emit(QuickWork(name: "1")) }
    await store.settled()
    #expect(monitor.causes.lines == ["outside", "effect(0, ofCommit: 1)"])
  }

  @Test("a test store takes both, and their intents are received within real time")
  func testStore() async {
    @MainActor final class Screen: @MainActor EffectHandler {
      func handle(effect: QuickWork, dispatch: @escaping DispatchFunc) {
        dispatch(WorkIntent.note("object"))
      }
    }
    let test = TestStore(state: [], reducer: working)
    test.add(effectHandler: Screen())
    test.on(QuickWork.self) { @MainActor _, dispatch in dispatch(WorkIntent.note("closure")) }
    await test.send(WorkIntent.emit([QuickWork(name: "1")]), effects: [QuickWork(name: "1")])
    await test.receive(any: WorkIntent.self, within: .seconds(600)) { state, _ in
      state = ["object"]
    }
    await test.receive(any: WorkIntent.self, within: .seconds(600)) { state, _ in
      state = ["object", "closure"]
    }
    await test.finish()
  }
}

private struct CauseMonitor: Monitor {
  let causes = Transcript<String>()
  func observe(_ commit: Commit<[String]>) { causes.write("\(commit.cause)") }
}
