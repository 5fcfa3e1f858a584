import Glue
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Effects and time")
struct EffectsAndTime {
  struct Search: Equatable, Sendable {
    var text = ""
    var results: [String] = []
    var failure: String?
  }

  enum SearchIntent: Intent { case typed(String), found([String]), failed(String) }

  struct Find: Effect, Equatable { var text: String }

  func search(state: inout Search, intent: SearchIntent) -> [any Effect] {
    switch intent {
    case .typed(""):
      state = Search()
      return [CancelEffects(id: "search")]
    case .typed(let text):
      state.text = text
      return [Find(text: text).scheduled(.debounce(.milliseconds(300)), id: "search")]
    case .found(let results):
      state.results = results
      state.failure = nil
      return []
    case .failed(let reason):
      state.failure = reason
      return []
    }
  }

  final class QueryLog: EffectHandler {
    private(set) var queries: [String] = []

    func handle(effect: Find, dispatch: @escaping DispatchFunc) {
      queries.append(effect.text)
    }
  }

  struct Searching: AsyncEffectHandler {
    let find: @Sendable (String) async throws -> [String]

    func handle(effect: Find, dispatch: @escaping DispatchFunc) async {
      do {
        dispatch(SearchIntent.found(try await find(effect.text)))
      } catch {
        dispatch(SearchIntent.failed("\(error)"))
      }
    }
  }

  @Test("an intent is sent later")
  func sendingLater() async {
    let clearing = Send(SearchIntent.typed("")).scheduled(.debounce(.seconds(60)), id: "clear")

    let clock = TestClock()
    let store = Store(
      state: [""],
      reducer: { (state: inout [String], intent: SearchIntent) -> [any Effect] in
        if case .typed(let text) = intent { state.append(text) }
        return state.count < 3 ? [clearing] : []
      }, clock: clock)
    store.dispatch(SearchIntent.typed("a"))
    await clock.advance(by: .seconds(60))
    #expect(store.state == ["", "a", ""])
  }

  private struct Index: Sendable {
    func titles(containing text: String) async -> [String] { [text] }
  }

  @Test("handlers do the work")
  func handlers() async {
    let index = Index()
    let store = Store(state: Search(), reducer: search, clock: ImmediateClock())
    store.add(effectHandler: QueryLog())

    store.on(Find.self) { find, dispatch in
      dispatch(SearchIntent.found(await index.titles(containing: find.text)))
    }

    await store.perform(SearchIntent.typed("glue"))
    print(store.state.results)

    #expect(store.state.results == ["glue"])

    await store.shutdown()
  }

  @Test("a bounded shutdown names what has not ended")
  func end() async {
    let store = Store(state: Search(), reducer: search)
    store.on(Find.self) { (_, _) async in }
    store.dispatch(SearchIntent.typed("glue"))

    let left = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
    for work in left { print("not ended: \(work)") }

    #expect(
      left == [.effect(Find(text: "glue"), id: "search", because: .waitedForTime)])
  }

  @Test("a test owns the time")
  func time() async {
    let clock = TestClock()
    let store = Store(state: Search(), reducer: search, clock: clock)
    store.add(effectHandler: Searching { text in [text.uppercased()] })

    store.dispatch(SearchIntent.typed("gl"))
    await clock.advance(by: .milliseconds(200))
    store.dispatch(SearchIntent.typed("glue"))
    await clock.advance(by: .milliseconds(299))
    #expect(store.state.results == [])
    await clock.advance(by: .milliseconds(1))
    #expect(store.state.results == ["GLUE"])
  }
}
