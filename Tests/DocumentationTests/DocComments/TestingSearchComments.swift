import Glue
import GlueTesting
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

@Suite("Comments of GlueTesting, on a search")
struct SearchComments {
  struct Search: Sendable, Equatable {
    var text = ""
    var results: [String] = []
    var isSearching: Bool { !text.isEmpty && results.isEmpty }
    var isConsistent: Bool { !isSearching }
  }
  enum SearchIntent: Intent, Equatable { case typed(String), found([String]) }
  enum SearchEffect: Effect, Equatable { case query(String) }

  struct FakeIndex: Sendable {
    let clock: any Clock<Duration>
    func search(_ text: String) async throws -> [String] {
      try await clock.sleep(for: .milliseconds(300))
      return ["a", "b", text]
    }
  }

  struct Searching: AsyncEffectHandler {
    let index: FakeIndex
    init(index: FakeIndex) { self.index = index }
    init(clock: any Clock<Duration> = ImmediateClock()) { index = FakeIndex(clock: clock) }

    func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
      guard case .query(let text) = effect else { return }
      guard let results = try? await index.search(text) else { return }
      dispatch(SearchIntent.found(results))
    }
  }

  private func search(state: inout Search, intent: SearchIntent) -> [any Effect] {
    switch intent {
    case .typed(let text):
      state.text = text
      return [SearchEffect.query(text)]
    case .found(let results):
      state.results = results
      return []
    }
  }

  @Test func concurrentSearches() async {
    await explore(seeds: 100) { clock in
      let store = Store(state: Search(), reducer: search, clock: clock)
      store.add(effectHandler: Searching(clock: clock))
      async let first: Void = store.perform(SearchIntent.typed("a"))
      async let second: Void = store.perform(SearchIntent.typed("b"))
      await clock.run()
      _ = await (first, second)
      #expect(store.state.isConsistent)
    }
  }

  @Suite("That failed with a seed")
  struct Failed {
    @Test(.seed(7)) func concurrentSearches() async {
      await explore { clock in #expect(clock.now.offset == .zero) }
    }
  }

  @Test func immediately() async {
    let clock = ImmediateClock()
    let store = Store(state: Search(), reducer: search, clock: clock)
    store.add(effectHandler: Searching())
    store.dispatch(SearchIntent.typed("glue"))
    await clock.rest()
    #expect(store.state.results.count == 3)
  }

  @Test func inItsTime() async {
    let clock = TestClock()
    let store = Store(state: Search(), reducer: search, clock: clock)
    store.add(effectHandler: Searching())
    store.dispatch(SearchIntent.typed("glue"))
    await clock.advance(by: .milliseconds(300))
    #expect(store.state.results.count == 3)
  }

  @Test func searchingKeepsItsContract() async {
    await checkContract(effects: [SearchEffect.query("glue")]) { clock in
      Searching(index: FakeIndex(clock: clock))
    }
  }

  @Test func searching() async {
    let test = TestStore(state: Search(), reducer: search)
    test.stub(SearchEffect.self) { _ in [SearchIntent.found(["Glue.swift"])] }
    await test.send(SearchIntent.typed("glue"), effects: [SearchEffect.query("glue")]) {
      $0.text = "glue"
    }
    await test.receive(SearchIntent.found(["Glue.swift"])) { $0.results = ["Glue.swift"] }
    await test.finish()
  }

  @Test func cancelling() async {
    let test = TestStore(state: Search(), reducer: search)
    test.add(effectHandler: Searching(clock: test.clock))
    await test.withExhaustivity(.off) {

      let typing = await test.send(SearchIntent.typed("glue"))
      await typing.cancel()
    }
    #expect(test.clock.sleepers == 0)

    await test.withExhaustivity(.off) { await test.send(SearchIntent.typed("")) { $0.text = "" } }
    await test.clock.run()
    await test.skipReceived()
  }

  @Suite("That may fail")
  struct Failing {
    struct Search: Sendable { var isSearching = false }
    enum SearchIntent: Intent, Equatable {
      case start, found([String]), failed
      var isFailure: Bool { self == .failed }
    }

    private func search(state: inout Search, intent: SearchIntent) -> [any Effect] {
      state.isSearching = intent == .start
      return intent == .start ? [SearchEffect.query("")] : []
    }

    @Test func anEmptyReply() async {
      let test = TestStore(state: Search(), reducer: search)

      test.stub(SearchEffect.self) { _ in [SearchIntent.found([])] }

      await test.send(SearchIntent.start, effects: [SearchEffect.query("")]) {
        $0.isSearching = true
      }

      await test.receive(SearchIntent.found([])) { $0.isSearching = false }
    }

    @Test func repliesThatAreNamedOtherwise() async {
      func test() async -> TestStore<Search> {
        let test = TestStore(state: Search(), reducer: search)
        test.stub(SearchEffect.self) { _ in [SearchIntent.found([])] }
        await test.send(SearchIntent.start, effects: [SearchEffect.query("")]) {
          $0.isSearching = true
        }
        return test
      }
      func inTime(_ test: TestStore<Search>) async {

        await test.receive(SearchIntent.found([]), within: .seconds(1)) { $0.isSearching = false }
      }
      await inTime(test())
    }

    @Test func aFailure() async {
      let test = TestStore(state: Search(), reducer: search)
      test.stub(SearchEffect.self) { _ in [SearchIntent.failed] }
      await test.send(SearchIntent.start, effects: [SearchEffect.query("")]) {
        $0.isSearching = true
      }

      await test.receive(any: SearchIntent.self, where: \.isFailure) { state, _ in
        state.isSearching = false
      }
    }
  }
}
