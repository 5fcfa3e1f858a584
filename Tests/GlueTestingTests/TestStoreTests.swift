import Glue
import GlueTesting
import Testing

@Suite("A test store")
struct TestStoreTests {
  @Test("drives a feature with real handlers, time and cancellation")
  func realHandlers() async {
    let test = TestStore(state: Search(), reducer: search)
    test.add(effectHandler: Searching(clock: test.clock))
    await test.send(SearchIntent.typed("g"), effects: [query("g")]) {
      $0.text = "g"
      $0.isSearching = true
    }
    await test.clock.advance(by: .milliseconds(200))
    await test.send(SearchIntent.typed("gl"), effects: [query("gl")]) { $0.text = "gl" }
    await test.clock.advance(by: .milliseconds(1300))
    await test.receive(SearchIntent.found(["gl"])) {
      $0.isSearching = false
      $0.results = ["gl"]
    }
    #expect(test.startedEffects == [SearchEffect.query("gl")])
    await test.send(SearchIntent.typed("x"), effects: [query("x")]) {
      $0.text = "x"
      $0.isSearching = true
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.send(SearchIntent.cleared, effects: [CancelEffects(id: "search")]) {
      $0 = Search()
    }
    await test.finish()
  }

  @Test("has effects replied to by stubs, by type, and records the others")
  func stubs() async {
    let test = TestStore(
      state: Counter(), reducer: counter, clock: TestClock(), exhaustivity: .on)
    test.stub(CounterEffect.self) { effect in
      if case .save = effect { [CounterIntent.increment] } else { [] }
    }
    for value in 1...4 { await test.send(CounterIntent.increment) { $0.value = value } }
    let effects = [CounterEffect.playSound, .save(5)]
    await test.send(CounterIntent.increment, effects: effects) { $0.value = 5 }
    await test.receive(CounterIntent.increment) { $0.value = 6 }
    await test.finish()
    #expect(test.startedEffects == effects)
    #expect(test.state.value == 6)
  }

  @Test("takes reducers in all their forms")
  func reducers() async {
    let any = TestStore(state: Counter(value: 4), reducer: anyCounter)
    await any.send(CounterIntent.increment, effects: [CounterEffect.save(5)]) { $0.value = 5 }
    await any.finish()
    let combined = TestStore(
      state: Counter(value: 4), reducer: combineReducers { counter })
    await combined.send(CounterIntent.increment, effects: [CounterEffect.playSound, .save(5)]) {
      $0.value = 5
    }
    await combined.finish()
    let closure = TestStore(state: 0) { (state, intent: CounterIntent) in
      state += 1
      return []
    }
    await closure.send(CounterIntent.increment) { $0 = 1 }
    await closure.finish()
  }

  @Test("has intents received by a condition")
  func condition() async {
    let test = TestStore(state: Search(), reducer: search)
    test.on(SearchEffect.self) { _, dispatch async in
      dispatch(SearchIntent.found(["7"]))
    }
    await test.send(SearchIntent.typed("a"), effects: [query("a")]) {
      $0.text = "a"
      $0.isSearching = true
    }
    await test.clock.run()
    await test.receive(any: SearchIntent.self, where: \.hasOneResult) { state, _ in
      state.isSearching = false
      state.results = test.store.state.results
    }
    await test.finish()
  }

  @Test("receives what a middleware makes of an intent, and what thunks dispatch")
  func middleware() async {
    let twice: Middleware<Counter> = { _, _ in
      { next in
        { intent in
          if case CounterIntent.decrement = intent { return }
          next(intent)
          next(intent)
        }
      }
    }
    let test = TestStore(
      state: Counter(), reducer: counter, middleware: [thunkMiddleware(), twice])
    await test.send(CounterIntent.increment) { $0.value = 1 }
    await test.receive(CounterIntent.increment) { $0.value = 2 }
    await test.send(CounterIntent.decrement)
    await test.send(
      AsyncThunk<Counter> { [clock = test.clock] dispatch, _ in
        try? await clock.sleep(for: .seconds(1))
        dispatch(CounterIntent.increment)
      })
    await test.clock.advance(by: .seconds(1))
    await test.receive(CounterIntent.increment) { $0.value = 3 }
    await test.receive(CounterIntent.increment) { $0.value = 4 }
    await test.finish()
  }

  @Test("is used on the main actor")
  @MainActor
  func mainActor() async {
    let test = TestStore(state: Search(), reducer: search)
    let found = ["a"]
    test.on(SearchEffect.self) { _, dispatch async in
      let results = await MainActor.run { found }
      dispatch(SearchIntent.found(results))
    }
    await test.send(SearchIntent.typed("a"), effects: [query("a")]) {
      MainActor.assertIsolated()
      $0.text = "a"
      $0.isSearching = true
    }
    await test.clock.advance(by: .milliseconds(300))
    await test.receive(SearchIntent.found(["a"]), within: .seconds(60)) {
      $0.isSearching = false
      $0.results = found
    }
    await test.finish()
  }

  @Test("lists what is not asserted where that need not be")
  func nonExhaustive() async {
    let test = TestStore(state: Search(), reducer: search, exhaustivity: .off)
    test.add(effectHandler: Searching(clock: test.clock))
    await test.send(SearchIntent.typed("g"))
    await test.clock.run()
    await test.send(SearchIntent.typed("gl"), effects: [query("gl")]) { $0.text = "gl" }
    #expect(
      test.unasserted == [
        #"SearchIntent.typed("g"): text: "" → "g""#,
        #"SearchIntent.typed("g"): isSearching: false → true"#,
        #"SearchIntent.typed("g"): emitted \#(debounced("g"))"#,
        #"SearchIntent.found(["g"]), from the effect "#
          + #"\#(debounced("g")) of SearchIntent.typed("g")"#,
        #"\#(debounced("gl")) of SearchIntent.typed("gl") waits for its time"#,
      ])
    await test.clock.run()
    await test.receive(SearchIntent.found(["gl"]))
    await test.finish()
  }

  @Test("calls each closure once, that of changes on the actual state where not all is asserted")
  func closureOnce() async {
    for exhaustivity in [TestStore<Desk>.Exhaustivity.on, .off] {
      let test = deskStore(exhaustivity: exhaustivity)
      var states: [Int] = []
      await test.send(DeskIntent.note("a")) {
        states.append($0.notes.count)
        $0.notes = ["a"]
      }
      #expect(states == [exhaustivity == .on ? 0 : 1])
      test.store.dispatch(DeskIntent.open)
      var intents: [DeskIntent] = []
      await test.receive(any: DeskIntent.self) { state, intent in
        intents.append(intent)
        state.letter = .init(text: "Dear")
      }
      #expect(intents == [.open])
    }
  }

  @Test("lists an effect of a commit that is only just being made")
  func listing() async {
    let test = deskStore(exhaustivity: .off)
    var lists: [[String]] = []
    let subscription = test.store.subscribe(selector: \.notes) {
      [store = test.store] notes in
      if notes == ["a"] { store.dispatch(DeskIntent.schedule(.delay(.seconds(1)))) }
    }
    // Sound: all of this is called by this task, one after the other.
    nonisolated(unsafe) let unsafe = test
    nonisolated(unsafe) let list = { lists.append(unsafe.unasserted) }
    let listing = test.store.subscribe(selector: \.notes) { notes in
      if notes == ["a"] { list() }
    }
    test.store.dispatch(DeskIntent.note("a"))
    #expect(lists == [[#"DeskIntent.note("a"), not from an effect"#, "Work() is queued"]])
    subscription.cancel()
    listing.cancel()
  }

  private enum Setting: Intent, Equatable {
    case set(x: Int)
    case set(y: Int)
    case reset
  }

  @Test("distinguishes cases of one name by their labels")
  func labels() async {
    let messages = await failures {
      for sent in [Setting.set(x: 1), .set(y: 1), .reset] {
        let test = TestStore(state: 0, reducer: { (_: inout Int, _: Setting) in [any Effect]() })
        test.store.dispatch(sent)
        await test.receive(case: Setting.set(x:))
      }
    }
    #expect(messages.count == 2)
    #expect(messages.first?.contains("Setting.set(y: 1)") == true)
  }

  @Test("takes no effect's intent for the one that was sent, though they are equal")
  func equalIntents() async {
    let replaces: Middleware<Desk> = { dispatch, getState in
      { next in
        { intent in
          let isFirst = getState().notes.isEmpty && intent as? DeskIntent == .open
          if isFirst { next(DeskIntent.note("a")) }
          next(isFirst ? DeskIntent.work : intent)
        }
      }
    }
    let test = deskStore(middleware: [replaces])
    test.stub(Work.self) { _ in [DeskIntent.open] }
    await test.send(DeskIntent.open)
    await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
    await test.receive(DeskIntent.work, effects: [Work()])
    await test.receive(DeskIntent.open) { $0.letter = .init(text: "Dear") }
    await test.finish()
  }
}
