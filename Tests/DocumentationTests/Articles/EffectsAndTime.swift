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

    await store.shutdown()  // cancels what runs
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

@Suite("Effects and time: trying again")
struct TryingAgain {
  struct Page: Equatable, Sendable {
    var attempt = 0
    var seed: UInt64 = 0
    var text: String?
    var failure: String?
  }

  enum PageIntent: Intent { case load, loaded(String), failed(String), cancel }

  enum PageEffect: Effect, Equatable { case fetch }

  let backoff = Backoff(from: .seconds(1), limit: .seconds(30), jitter: 0.2)

  func page(state: inout Page, intent: PageIntent) -> [any Effect] {
    switch intent {
    case .load:
      state = Page(seed: state.seed)
      return attempt(after: .zero)
    case .failed where state.attempt < 4:
      state.attempt += 1
      return attempt(after: backoff.delay(state.attempt - 1, seed: state.seed))
    case .failed(let reason): state.failure = reason
    case .loaded(let text): state.text = text
    case .cancel: break
    }
    return [CancelEffects(id: "page")]
  }

  /// An attempt in the place of the last one, and the end of its time.
  func attempt(after delay: Duration) -> [any Effect] {
    let tooLate = PageIntent.failed("It took too long.")
    return [
      CancelEffects(id: "page"),
      PageEffect.fetch.scheduled(.delay(delay), id: "page"),
      Send(tooLate).scheduled(.delay(delay + .seconds(10)), id: "page"),
    ]
  }

  struct Fetching: AsyncEffectHandler {
    let fetch: @Sendable () async throws -> String

    func handle(effect: PageEffect, dispatch: @escaping DispatchFunc) async {
      do {
        dispatch(PageIntent.loaded(try await fetch()))
      } catch {
        dispatch(PageIntent.failed("\(error)"))
      }
    }
  }

  private struct Offline: Error {}

  /// Is offline first, does not answer then, and answers from the third time on.
  private actor Server {
    private var attempts = 0

    func page(on clock: TestClock) async throws -> String {
      attempts += 1
      if attempts == 1 { throw Offline() }
      if attempts == 2 { try await clock.sleep(for: .seconds(3600)) }
      return "Glue"
    }
  }

  private let server = Server()

  @Test("an attempt fails, one takes too long, and one succeeds")
  func attempts() async {
    let server = server

    let test = TestStore(state: Page(), reducer: page)
    test.add(effectHandler: Fetching { [clock = test.clock] in try await server.page(on: clock) })

    await test.send(PageIntent.load, effects: attempt(after: .zero))
    await test.receive(PageIntent.failed("Offline()"), effects: attempt(after: backoff.delay(0))) {
      $0.attempt = 1
    }
    await test.clock.advance(by: backoff.delay(0))  // the second attempt begins, and gets no answer
    await test.clock.advance(by: .seconds(10))
    let tooLate = PageIntent.failed("It took too long.")
    await test.receive(tooLate, effects: attempt(after: backoff.delay(1))) { $0.attempt = 2 }
    await test.clock.advance(by: backoff.delay(1))
    await test.receive(PageIntent.loaded("Glue"), effects: [CancelEffects(id: "page")]) {
      $0.text = "Glue"
    }
    await test.finish()
  }

  @Test("the last attempt's failure is shown, and nothing is left")
  func givingUp() async {
    let test = TestStore(state: Page(seed: 7), reducer: page)
    test.add(effectHandler: Fetching { throw Offline() })
    await test.send(PageIntent.load, effects: attempt(after: .zero))
    for count in 0..<4 {
      let delay = backoff.delay(count, seed: 7)
      await test.receive(PageIntent.failed("Offline()"), effects: attempt(after: delay)) {
        $0.attempt += 1
      }
      await test.clock.advance(by: delay)
    }
    await test.receive(PageIntent.failed("Offline()"), effects: [CancelEffects(id: "page")]) {
      $0.failure = "Offline()"
    }
    await test.finish()
  }

  @Test("canceling ends an attempt, and the wait for one")
  func cancelling() async {
    let test = TestStore(state: Page(), reducer: page)
    test.add(effectHandler: Fetching { [clock = test.clock] in try await server.page(on: clock) })
    await test.send(PageIntent.load, effects: attempt(after: .zero))
    await test.receive(PageIntent.failed("Offline()"), effects: attempt(after: backoff.delay(0))) {
      $0.attempt = 1
    }
    await test.send(PageIntent.cancel, effects: [CancelEffects(id: "page")])
    await test.clock.advance(by: .seconds(60))
    await test.finish()
  }
}
