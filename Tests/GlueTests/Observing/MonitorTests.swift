import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("Monitors", .tags(.threads), .unwatched)
struct MonitorTests {
  /// Calls a function with every commit.
  private struct Calling<State: Sendable>: Monitor {
    let observe: @Sendable (Commit<State>) -> Void
    func observe(_ commit: Commit<State>) { observe(commit) }
  }

  private func store(
    delivery: Delivery = .immediate,
    _ observers: @Sendable (Commit<Counter>) -> Void...
  ) -> Store<Counter> {
    Store(
      state: Counter(), reducer: counter, monitors: observers.map { Calling<Counter>(observe: $0) },
      delivery: delivery)
  }

  @Test("one is given the number, the intent, the effects, and the state before and after")
  func contents() {
    let commits = Transcript<Commit<Counter>>()
    let store = self.store { commits.write($0) }

    store.add(2)
    store.write(5)
    store.dispatch(HistoryIntent.undo)

    let lines = commits.lines
    #expect(lines.map(\.number) == [1, 2, 3])
    #expect(lines[0].intent as? CounterIntent == .add(2))
    #expect(lines[2].intent is HistoryIntent)
    #expect(lines.map(\.before.value) == [0, 2, 5])
    #expect(lines.map(\.after.value) == [2, 5, 5])
    #expect(lines.map { $0.effects as? [CounterEffect] } == [[], [.wrote(5)], []])
    #expect(lines.map(\.cause) == [.outside, .outside, .outside])
  }

  @Test("several are called in their order, before the commit's notifications and effects (G3)")
  func order() {
    let transcript = Transcript<String>()
    let store = self.store(
      { transcript.write("first \($0.number)") }, { transcript.write("second \($0.number)") })
    let subscription = store.subscribe(selector: \.value) { transcript.write("told \($0)") }
    store.onWrote { number, dispatch in
      transcript.write("handled \(number)")
      if number < 2 { dispatch(CounterIntent.write(number + 1)) }
    }

    store.write(1)

    #expect(
      transcript.lines == [
        "told 0", "first 1", "second 1", "told 1", "handled 1",
        "first 2", "second 2", "told 2", "handled 2",
      ])
    withExtendedLifetime(subscription) {}
  }

  @Test("an effect's handlers, of both kinds and after a delay, are the cause of what they send")
  func causes() async {
    let causes = CauseRecorder()
    let clock = TestClock()
    let store = Store(
      state: Counter(),
      reducer: { (state: inout Counter, intent: CounterIntent) -> [any Effect] in
        guard case .write(let number) = intent else { return [] }
        return [
          CancelEffects(id: 0), CounterEffect.wrote(number),
          CounterEffect.wrote(10).scheduled(.delay(.seconds(1)), id: 1),
        ]
      }, monitors: [causes], clock: clock)
    store.onWrote { number, dispatch in dispatch(CounterIntent.add(number)) }
    store.on(CounterEffect.self) { effect, dispatch async in
      try? await clock.sleep(for: .milliseconds(1))
      dispatch(CounterIntent.ignore)
    }

    store.write(1)
    await clock.run()

    #expect(
      causes.lines == [
        "write(1): outside", "add(1): effect(1, ofCommit: 1)", "ignore: effect(1, ofCommit: 1)",
        "add(10): effect(2, ofCommit: 1)", "ignore: effect(2, ofCommit: 1)",
      ])
  }

  @Test("intents of subscribers and monitors come from outside")
  func outside() {
    let causes = CauseRecorder()
    let slot = Shared<Store<Counter>?>(nil)
    let dispatching = Calling<Counter> { if $0.after.value == 1 { slot.value?.add(2) } }
    let store = Store(state: Counter(), reducer: counter, monitors: [causes, dispatching])
    slot.value = store
    store.onWrote { _, dispatch in dispatch(CounterIntent.add(1)) }
    let subscription = store.subscribe(selector: \.value) { [weak store] in
      if $0 == 3 { store?.add(3) }
    }

    store.write(0)

    #expect(
      causes.lines == [
        "write(0): outside", "add(1): effect(0, ofCommit: 1)", "add(2): outside", "add(3): outside",
      ])
    slot.value = nil
    withExtendedLifetime(subscription) {}
  }

  @Test("the commits of several threads come in order, each once, as one history (G1)")
  func threads() async {
    let commits = Transcript<Commit<Counter>>()
    let store = self.store { commits.write($0) }
    await onThread { onThreads(4) { _ in for _ in 0..<500 { store.add(1) } } }
    await store.settled()
    #expect(commits.lines.map(\.number) == Array(1...2000))
    #expect(commits.lines.map(\.before.value) == Array(0..<2000))
    #expect(commits.lines.map(\.after.value) == Array(1...2000))
  }

  @Test("100,000 links of a chain that a monitor makes use constant stack (G5)")
  func chain() async {
    let slot = Shared<Store<Counter>?>(nil)
    let store = self.store { if $0.number < 100_000 { slot.value?.add(1) } }
    slot.value = store
    await onThread { store.add(1) }
    #expect(store.state.value == 100_000)
    slot.value = nil
  }

  @Test("one may wait for another thread that uses the store (G6)")
  func noLockHeld() async {
    let slot = Shared<Store<Counter>?>(nil)
    let store = self.store {
      if $0.number > 1 { return }
      onThreads(1) { _ in
        slot.value?.add(1)
        slot.value?.subscribe { _ in }.cancel()
      }
    }
    slot.value = store
    await onThread { store.add(10) }
    #expect(store.state.value == 11)
    slot.value = nil
  }

  @Test("one is called where the store delivers")
  func delivery() {
    let pump = Pump()
    let numbers = Transcript<Int>()
    let store = self.store(delivery: pump.delivery) { numbers.write($0.number) }
    store.add(1)
    store.add(1)
    #expect(numbers.lines == [])
    pump.run()
    #expect(numbers.lines == [1, 2])
  }

  @Test("a commit is released after its delivery, and a monitor with its store (G9)")
  func lifetime() {
    struct Owning: Intent { let owned: OnDeinit }
    let transcript = Transcript<String>()
    var store: Store<Counter>? = {
      let owned = OnDeinit { transcript.write("monitor gone") }
      return self.store { _ in
        withExtendedLifetime(owned) {}
        transcript.write("told")
      }
    }()
    store?.onWrote { _, dispatch in
      dispatch(Owning(owned: OnDeinit { transcript.write("intent gone") }))
      dispatch(CounterIntent.ignore)
    }
    store?.write(1)
    store = nil
    #expect(transcript.lines == ["told", "told", "intent gone", "told", "monitor gone"])
  }
}
