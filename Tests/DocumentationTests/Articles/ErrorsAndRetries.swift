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
