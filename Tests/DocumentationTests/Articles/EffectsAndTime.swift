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

  enum SearchEffect: Effect, Equatable { case query(String) }

  func search(state: inout Search, intent: SearchIntent) -> [any Effect] {
    switch intent {
    case .typed(""):
      state = Search()
      return [CancelEffects(id: "search")]
    case .typed(let text):
      state.text = text
      return [SearchEffect.query(text).scheduled(.debounce(.milliseconds(300)), id: "search")]
    case .found(let results):
      state.results = results
      state.failure = nil
      return []
    case .failed(let reason):
      state.failure = reason
      return []
    }
  }

  final class Journal: EffectHandler {
    private(set) var queries: [String] = []

    func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) {
      switch effect {
      case .query(let text): queries.append(text)
      }
    }
  }

  struct Searching: AsyncEffectHandler {
    let find: @Sendable (String) async throws -> [String]

    func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
      switch effect {
      case .query(let text):
        do {
          dispatch(SearchIntent.found(try await find(text)))
        } catch {
          dispatch(SearchIntent.failed("\(error)"))
        }
      }
    }
  }

  private struct Index: Sendable {
    func titles(containing text: String) async -> [String] { [text] }
  }

  @Test("handlers do the work")
  func handlers() async {
    let index = Index()
    let store = Store(state: Search(), reducer: search, clock: ImmediateClock())
    store.add(effectHandler: Journal())

    store.on(SearchEffect.self) { effect, dispatch in
      guard case .query(let text) = effect else { return }
      dispatch(SearchIntent.found(await index.titles(containing: text)))
    }

    await store.perform(SearchIntent.typed("glue"))
    print(store.state.results)

    #expect(store.state.results == ["glue"])

    await store.shutdown()  // cancels what runs
  }

  @Test("an end with bounds names what has not ended")
  func end() async {
    let store = Store(state: Search(), reducer: search)
    store.on(SearchEffect.self) { (_, _) async in }
    store.dispatch(SearchIntent.typed("glue"))

    let left = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
    for line in left { print("not ended: \(line)") }

    #expect(left == [#"SearchEffect.query("glue") has not started"#])
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
