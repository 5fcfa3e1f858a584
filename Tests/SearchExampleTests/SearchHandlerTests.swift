import Glue
import GlueTesting
import Testing

@testable import SearchExample

/// The parts of the program together, except the terminal.
@Suite struct SearchHandlerTests {
  private func store(
    searching tree: TemporaryTree, clock: some Clock<Duration>
  ) -> Store<SearchState> {
    let store = Store(
      state: SearchState(directory: tree.root), reducer: searchReducer, clock: clock)
    store.add(effectHandler: SearchHandler())
    return store
  }

  @Test("typed text is found")
  func whatIsTypedIs() async throws {
    let tree = try TemporaryTree(["a": "no\nneedle\n", "b/c": "needle", "d": "\0needle"])
    let store = store(searching: tree, clock: ImmediateClock())
    await store.perform(SearchIntent.type("needle"))
    let results = store.state.results
    #expect(results.phase == .finished)
    #expect(Set(results.matches.map(\.line)) == [1, 2])
    #expect(
      results.progress
        == Progress(filesKnown: 3, filesDone: 3, binaries: 1, failures: 0, matches: 2))
  }

  @Test("a query still being typed is searched for once, when complete")
  func aQueryThatIs()
    async throws
  {
    let tree = try TemporaryTree(["a": "one"])
    let clock = TestClock()
    let store = store(searching: tree, clock: clock)
    for character in "one" { store.dispatch(SearchIntent.type(String(character))) }
    #expect(store.state.results.progress.filesDone == 0)
    await clock.run()
    await store.settled()
    #expect(store.state.results.matches.map(\.text) == [Array("one".utf8)])
  }

  @Test("a cleared search leaves nothing behind")
  func aSearchThatIs() async throws {
    let tree = try TemporaryTree(["a": "one"])
    let store = store(searching: tree, clock: ImmediateClock())
    store.dispatch(SearchIntent.type("one"))
    store.dispatch(SearchIntent.clear)
    await store.settled()
    #expect(store.state == SearchState(directory: tree.root))
  }

  @Test("a canceled search reads no more files")
  func aSearchThatIsCancelled() async throws {
    let tree = try TemporaryTree(["a": "one"])
    let last = LockedBox(Report?.none)
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let effect = SearchEffect(directory: tree.root, text: "one")
      await SearchHandler().handle(effect: effect) { intent in
        if case SearchIntent.finish(let report) = intent { last.withLock { $0 = report } }
      }
    }.value
    #expect(last.withLock { $0 } == Report())
  }

  @Test("a limited number of matches is kept, and a part of a long line")
  func onlySoManyMatches()
    async throws
  {
    let lines = String(repeating: "needle\n", count: Results.limit + 5)
    let long = String(repeating: "é", count: 500)
    let tree = try TemporaryTree(["a": lines, "b": "\(long)thread\(long)"])
    let store = store(searching: tree, clock: ImmediateClock())
    await store.perform(SearchIntent.type("needle"))
    #expect(store.state.results.matches.count == Results.limit)
    #expect(store.state.results.progress.matches == Results.limit + 5)
    store.dispatch(SearchIntent.clear)
    await store.perform(SearchIntent.type("thread"))
    let match = try #require(store.state.results.matches.first)
    #expect(match.text.count <= 406)
    #expect(String(decoding: match.text, as: UTF8.self).hasPrefix("…éé"))
    #expect(String(decoding: match.text, as: UTF8.self).hasSuffix("é…"))
  }
}
