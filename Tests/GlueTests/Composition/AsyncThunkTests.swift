import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("Asynchronous thunks", .tags(.threads), .unwatched)
struct AsyncThunkTests {
  private let clock = TestClock()
  private let store: Store<Counter>

  init() {
    store = Store(
      state: Counter(), reducer: counter, middleware: [thunkMiddleware()], clock: clock)
  }

  /// Waits a second on the store's clock, canceled or not, and adds a number.
  private func adding(_ number: Int) -> AsyncThunk<Counter> {
    AsyncThunk { [clock] dispatch, _ in
      try? await clock.sleep(for: .seconds(1))
      dispatch(CounterIntent.add(number))
    }
  }

  @Test("one waits on the clock that it has captured, the store's, which the test advances")
  func clockOfTheTest() async {
    store.dispatch(adding(1))
    await clock.advance(by: .milliseconds(999))
    #expect(store.state.value == 0)
    await clock.advance(by: .milliseconds(1))
    #expect(store.state.value == 1)
  }

  @Test("it reads and dispatches, before and after it has waited")
  func readsItsWrites() async {
    let read = Transcript<Int>()
    store.dispatch(
      AsyncThunk<Counter> { [clock] dispatch, getState in
        dispatch(CounterIntent.add(1))
        read.write(getState().value)
        try? await clock.sleep(for: .seconds(1))
        read.write(getState().value)
        dispatch(CounterIntent.add(10))
        read.write(getState().value)
      })
    await clock.rest()
    store.add(100)
    await clock.run()
    #expect(read.lines == [1, 101, 111])
  }

  @Test("settled() waits for it, and for those that it dispatches")
  func settled() async {
    let immediate = ImmediateClock()
    let store = Store(
      state: Counter(), reducer: counter, middleware: [thunkMiddleware()], clock: immediate)
    store.dispatch(
      AsyncThunk<Counter> { dispatch, _ in
        for _ in 0..<10 { try? await immediate.sleep(for: .seconds(1)) }
        dispatch(CounterIntent.add(1))
        dispatch(
          AsyncThunk<Counter> { dispatch, _ in
            for _ in 0..<10 { try? await immediate.sleep(for: .seconds(1)) }
            dispatch(Thunk<Counter> { dispatch, _ in dispatch(CounterIntent.add(10)) })
          })
      })
    await store.settled()
    #expect(store.state.value == 11)
  }

  @Test("perform waits for it, and for the effects of what it dispatches")
  func perform() async {
    let immediate = ImmediateClock()
    let store = Store(
      state: Counter(), reducer: counter, middleware: [thunkMiddleware()], clock: immediate)
    store.on(CounterEffect.self) { _, dispatch async in
      for _ in 0..<10 { try? await immediate.sleep(for: .seconds(1)) }
      dispatch(CounterIntent.add(1))
    }
    await store.perform(
      AsyncThunk<Counter> { dispatch, _ in
        for _ in 0..<10 { try? await immediate.sleep(for: .seconds(1)) }
        dispatch(CounterIntent.write(1))
      })
    #expect(store.state.value == 2)
  }

  @Test("a shutdown cancels it and waits for it, and what it dispatches then is dropped")
  func shutdown() async {
    let transcript = Transcript<String>()
    store.dispatch(
      AsyncThunk<Counter> { [clock] dispatch, _ in
        try? await clock.sleep(for: .seconds(1))
        transcript.write("canceled: \(Task.isCancelled)")
        dispatch(CounterIntent.add(1))
        dispatch(Thunk<Counter> { _, _ in transcript.write("a thunk ran") })
      })
    await clock.rest()

    await store.shutdown()

    #expect(transcript.lines == ["canceled: true"])
    #expect(store.state.value == 0)
    #expect(clock.sleepers == 0)
  }

  @Test("after a shutdown none starts, and plain thunks still run")
  func afterShutdown() async {
    await store.shutdown()
    store.dispatch(adding(1))
    await store.perform(adding(1))
    store.dispatch(Thunk<Counter> { dispatch, _ in dispatch(CounterIntent.add(10)) })
    await clock.run()
    #expect(store.state.value == 10)
  }

  @Test("it is canceled when the store is released, does not keep it, and reads the last state")
  func storeGoes() async {
    let transcript = Transcript<String>()
    let ended = Signal()
    let clock = TestClock()
    var store: Store<Counter>? = Store(
      state: Counter(), reducer: counter, middleware: [thunkMiddleware()], clock: clock)
    store?.dispatch(
      AsyncThunk<Counter> { dispatch, getState in
        try? await clock.sleep(for: .seconds(1))
        dispatch(CounterIntent.add(1))
        transcript.write("canceled: \(Task.isCancelled), \(getState().value)")
        ended.send()
      })
    store?.add(5)
    await clock.rest()
    let weak = Weak(object: store)

    store = nil

    #expect(weak.object == nil)
    await ended.wait()
    #expect(transcript.lines == ["canceled: true, 5"])
  }

  @Test("its intents have as their cause what it was dispatched by")
  func causes() async {
    let causes = CauseRecorder()
    let store = Store(
      state: Counter(), reducer: counter, middleware: [thunkMiddleware()], monitors: [causes],
      clock: clock)
    store.onWrote { [adding] _, dispatch in dispatch(adding(1)) }
    store.dispatch(adding(2))
    await clock.run()
    store.write(1)
    await clock.run()
    #expect(
      causes.lines == [
        "add(2): outside", "write(1): outside", "add(1): effect(0, ofCommit: 2)",
      ])
  }

  @Test("many started by several threads all run and leave nothing behind")
  func many() async {
    await onThread { [store, adding] in
      onThreads(4) { _ in for _ in 0..<250 { store.dispatch(adding(1)) } }
    }
    await clock.run()
    await store.settled()
    #expect(store.state.value == 1000)
    #expect(clock.sleepers == 0)
  }
}
