import Glue
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Errors and retries")
struct ErrorsAndRetries {
  enum UploadFailure: Error, Equatable { case unreachable, refused(String) }

  struct Upload: Equatable, Sendable {
    enum Status: Equatable { case idle, sending(attempt: Int), sent, failed(UploadFailure) }
    var status = Status.idle
  }

  enum UploadIntent: Intent, Equatable { case send, cancel, sent, failed(UploadFailure) }
  struct SendPhoto: Effect, Equatable {}

  let backoff = Backoff(from: .seconds(1), limit: .seconds(30))

  func upload(state: inout Upload, intent: UploadIntent) -> [any Effect] {
    switch (intent, state.status) {
    case (.send, _):
      state.status = .sending(attempt: 0)
      return [SendPhoto().scheduled(.latest, id: "upload")]
    case (.failed(.unreachable), .sending(let attempt)) where attempt < 4:
      state.status = .sending(attempt: attempt + 1)
      return [SendPhoto().scheduled(.delay(backoff.delay(attempt)), id: "upload")]
    case (.failed(let failure), _): state.status = .failed(failure)
    case (.sent, _): state.status = .sent
    case (.cancel, _):
      state.status = .idle
      return [CancelEffects(id: "upload")]
    }
    return []
  }

  /// A server that fails with some errors, and then takes everything.
  private actor Server {
    private var errors: [any Error]
    private(set) var count = 0

    init(failing errors: [any Error]) { self.errors = errors.reversed() }

    func send() throws {
      count += 1
      if let error = errors.popLast() { throw error }
    }

    func send(_ mail: Mail) throws { try send() }
  }

  private func store(_ server: Server, _ clock: TestClock) -> Store<Upload> {
    let store = Store(state: Upload(), reducer: upload, clock: clock)
    store.on(SendPhoto.self) { _, dispatch async in
      do {
        try await server.send()
        dispatch(UploadIntent.sent)
      } catch let failure as UploadFailure {
        dispatch(UploadIntent.failed(failure))
      } catch {
        dispatch(UploadIntent.failed(.refused("\(error)")))
      }
    }
    return store
  }

  private struct Odd: Error {}

  @Test("it tries four times more, each after a longer wait", arguments: [4, 5])
  func trying(failures: Int) async {
    let server = Server(failing: Array(repeating: UploadFailure.unreachable, count: failures))
    let clock = TestClock()
    let store = store(server, clock)
    store.dispatch(UploadIntent.send)
    await clock.advance(by: .seconds(1 + 2 + 4))
    #expect(await server.count == 4)
    await clock.advance(by: .seconds(8))
    #expect(await server.count == 5)
    #expect(store.state.status == (failures == 4 ? .sent : .failed(.unreachable)))
    await store.settled()
  }

  @Test("another error is kept as its text")
  func others() async {
    let store = store(Server(failing: [Odd()]), TestClock())
    await store.perform(UploadIntent.send)
    #expect(store.state.status == .failed(.refused("Odd()")))
  }

  @Test("a test of the decision")
  func decision() async {
    let test = TestStore(state: Upload(), reducer: upload)
    test.stub(SendPhoto.self) { _ in [UploadIntent.failed(.unreachable)] }

    let first = SendPhoto().scheduled(.latest, id: "upload")
    await test.send(UploadIntent.send, effects: [first]) { $0.status = .sending(attempt: 0) }
    let second = SendPhoto().scheduled(.delay(.seconds(1)), id: "upload")
    await test.receive(UploadIntent.failed(.unreachable), effects: [second]) {
      $0.status = .sending(attempt: 1)
    }
    await test.send(UploadIntent.cancel, effects: [CancelEffects(id: "upload")]) {
      $0.status = .idle
    }
    await test.finish()
  }

  private struct Mail: Effect {}
  private enum MailIntent: Intent { case send, sent }

  @Test("a handler that returns has succeeded")
  func mustHappen() async {
    let server = Server(failing: [Odd(), Odd()])
    let clock = TestClock()
    let backoff = backoff
    let store = Store(
      state: false,
      reducer: { (isSent: inout Bool, intent: MailIntent) -> [Mail] in
        if case .send = intent { return [Mail()] }
        isSent = true
        return []
      }, clock: clock)

    store.on(Mail.self) { mail, dispatch async in
      for attempt in 0... {
        do {
          try await server.send(mail)
          return dispatch(MailIntent.sent)
        } catch {
          try? await clock.sleep(for: backoff.delay(attempt))
        }
        if Task.isCancelled { return }
      }
    }

    store.dispatch(MailIntent.send)
    await clock.advance(by: .seconds(1 + 2))
    #expect(store.state)
    #expect(await server.count == 3)
    store.dispatch(MailIntent.send)
    await store.shutdown()
  }
}

@Suite("Errors and retries: a limit for each attempt")
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
