import Glue
import GlueTesting
import Synchronization
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

@Suite("Comments of asynchronous effects")
struct AsyncComments {
  struct Index: Sendable {
    func search(_ text: String) async throws -> [String] { [text] }
  }
  private enum SearchIntent: Intent { case found([String]), failed(String) }
  enum SearchEffect: Effect, Equatable { case query(String) }

  struct Searching: AsyncEffectHandler {
    let index: Index
    func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
      switch effect {
      case .query(let text):
        do {
          dispatch(SearchIntent.found(try await index.search(text)))
        } catch {
          dispatch(SearchIntent.failed("\(error)"))
        }
      }
    }
  }

  private func reduce(_ text: String) -> [any Effect] {
    if text.isEmpty {
      return [CancelEffects(id: "search")]
    }
    return [SearchEffect.query(text).scheduled(.debounce(.milliseconds(300)), id: "search")]
  }

  private enum AppIntent: Intent { case reset, increment }

  private func sendLater(_ tower: inout Tower) -> [any Effect] {
    tower.isPolling = true
    return [Send(AppIntent.reset).scheduled(.delay(.seconds(2)), id: "reset")]
  }

  private struct Tower: Sendable {
    var isPolling = true
    var interval = Duration.seconds(1)
    var log: String? = "log"
  }

  private enum WatchEffect: Effect, Equatable { case poll(every: Duration), tail(String) }

  @Test("effects last, intents are sent, and thunks are run by their type")
  func lastingAndSending() async {
    let tower: Reducer<Tower> = { state, _ in self.sendLater(&state) }
    let store = Store(
      state: Tower(), reducer: tower,
      lasting: { state in
        (state.isPolling ? [WatchEffect.poll(every: state.interval).lasting(id: "poll")] : [])
          + (state.log.map { [WatchEffect.tail($0).lasting(id: "tail")] } ?? [])
      })
    let started = AsyncStream<WatchEffect>.makeStream()
    store.on(WatchEffect.self) { effect, _ async in started.continuation.yield(effect) }
    let effects = started.stream.prefix(2)
    #expect(await effects.reduce(into: []) { $0.append($1) }.count == 2)
  }

  private enum TowerIntent: Intent { case began }

  private final class AlarmHandler: EffectHandler {
    func handle(effect: WatchEffect, dispatch: @escaping DispatchFunc) {}
  }

  @Test("a block adds handlers")
  func block() async {
    let (started, tower) = (AsyncStream<WatchEffect>.makeStream(), Self.begin)
    @Sendable func watch(_ effect: WatchEffect, _ dispatch: DispatchFunc) async {
      started.continuation.yield(effect)
    }
    @Sendable func watching(tower: Tower) -> [LastingEffect] {
      tower.log.map { [WatchEffect.tail($0).lasting(id: "tail")] } ?? []
    }

    let store = Store(
      state: Tower(), reducer: tower, lasting: watching,
      first: [TowerIntent.began],
      handlers: { handlers in
        handlers.on(WatchEffect.self) { effect, dispatch in await watch(effect, dispatch) }
        handlers.add(effectHandler: AlarmHandler())
      })

    for await effect in started.stream.prefix(1) { #expect(effect == .tail("began")) }
    await store.shutdown()
  }

  @Sendable private static func begin(tower: inout Tower, intent: TowerIntent) -> [any Effect] {
    tower.log = "began"
    return []
  }

  @Test("the store knows a thunk's state, and reports a problem")
  func thunks() {
    final class Logger: Sendable {
      let lines = Mutex<[String]>([])
      func warning(_ line: String) { lines.withLock { $0.append(line) } }
    }
    struct App: Sendable { var count = 0 }
    let app: Reducer<App> = { state, _ in
      state.count += 1
      return []
    }
    let logger = Logger()

    let store = Store(state: App(), reducer: app, report: { logger.warning("\($0)") })

    store.dispatch(Thunk<App> { dispatch, getState in dispatch(AppIntent.increment) })

    #expect(logger.lines.withLock { $0.count } == 1)
  }

  private enum ImportIntent: Intent { case line(String) }

  @Test("a producer waits now and then, and a shutdown has bounds")
  func waiting() async {
    let store = Store(state: 0) { (state: inout Int, intent: ImportIntent) -> [any Effect] in
      state += 1
      return []
    }
    let lines = Array(repeating: "line", count: 2001)
    let log: (String) -> Void = { Issue.record("\($0)") }

    for (number, line) in lines.enumerated() {
      store.dispatch(ImportIntent.line(line))
      if number % 1000 == 0 { await store.delivered() }
    }

    let left = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
    for work in left { log("not ended: \(work)") }

    #expect(store.state == 2001)
  }

  @Test("a program saves what never started")
  func unfinished() {
    struct Save: Effect, Equatable { var text: String }
    var saved: [Save] = []
    func write(_ save: Save) { saved.append(save) }
    let left: [UnfinishedWork] = [
      .effect(Save(text: "a"), id: "save", because: .waitedForTime),
      .effect(Save(text: "b"), id: "save", because: .canceled),
    ]

    for case .effect(let save as Save, id: _, because: .waitedForTime) in left { write(save) }

    #expect(saved == [Save(text: "a")])
  }

  @Test("scheduled effects are values")
  func scheduling() {
    #expect(reduce("") == [CancelEffects(id: "search")])
    #expect(reduce("a") == reduce("a"))
  }

  private enum PageEffect: Effect, Equatable { case fetch }

  private func retry(after attempt: Int, seed: UInt64) -> [any Effect] {
    let backoff = Backoff(from: .seconds(1), limit: .seconds(30), jitter: 0.5)
    return [PageEffect.fetch.scheduled(.delay(backoff.delay(attempt, seed: seed)), id: "page")]
  }

  @Test("equal seeds give equal retries")
  func retrying() {
    #expect(retry(after: 1, seed: 7) == retry(after: 1, seed: 7))
    #expect(!(retry(after: 1, seed: 7) == retry(after: 1, seed: 8)))
  }

  @Suite("Closures")
  struct Closures {
    private struct SearchEffect: Effect { let text: String }
    private struct Index: Sendable {
      func search(_ text: String) async -> [String] { [text] }
    }

    @Test("do the work")
    func closure() async {
      let index = Index()
      let store = Store(state: [""]) { (state, intent: SearchIntent) in
        if case .found(let results) = intent { state = results }
        return state == [""] ? [SearchEffect(text: "a")] : []
      }

      store.on(SearchEffect.self) { effect, dispatch in
        dispatch(SearchIntent.found(await index.search(effect.text)))
      }

      await store.perform(SearchIntent.failed("not yet"))
      #expect(store.state == ["a"])
    }
  }

  private enum MailIntent: Intent, Equatable { case send, sent }
  private struct Mail: Effect, Equatable {}
  private final class Mailer: EffectHandler {
    func handle(effect: Mail, dispatch: @escaping DispatchFunc) { dispatch(MailIntent.sent) }
  }

  private func mail(state: inout Int, intent: MailIntent) -> [any Effect] {
    if intent == .send { return [Mail()] }
    state += 1
    return []
  }

  func addHandlers(to handlers: some TakesHandlers) {
    handlers.add(effectHandler: Mailer())
  }

  @Test("a store and a test store take the handlers of one function")
  func oneFunction() async {
    let store = Store(
      state: 0, reducer: mail, first: [MailIntent.send], handlers: { addHandlers(to: $0) })
    #expect(store.state == 1)
    addHandlers(to: store)
    store.dispatch(MailIntent.send)
    #expect(store.state == 3)

    let test = TestStore(state: 0, reducer: mail)
    addHandlers(to: test)
    await test.send(MailIntent.send, effects: [Mail()])
    await test.receive(MailIntent.sent) { $0 = 1 }
    await test.finish()
  }
}
