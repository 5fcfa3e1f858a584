import Dispatch
import Foundation
import Glue
import GlueConsole
import GlueTesting
import Synchronization
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Recipes")
struct Recipes {
  struct Notebook: Equatable, Sendable {
    var text = ""
    var isSaved = true
    var answers: [Int: Int] = [:]
  }

  enum NotebookIntent: Intent {
    case typed(String), save, saved(String)
    case count(String, request: Int), counted(Int, request: Int), forget(request: Int)
  }

  enum NotebookEffect: Effect, Equatable {
    case save(String)
    case count(word: String, in: String, request: Int)
  }

  func notebook(state: inout Notebook, intent: NotebookIntent) -> [any Effect] {
    switch intent {
    case .typed(let text):
      state.text = text
      state.isSaved = false
      return [Send(NotebookIntent.save).scheduled(.debounce(.seconds(2)), id: "pause")]
    case .save:
      let save = NotebookEffect.save(state.text).scheduled(.replacing, id: "save")
      return [CancelEffects(id: "pause")] + (state.isSaved ? [] : [save])
    case .saved(let text):
      state.isSaved = text == state.text
      return []
    case .count(let word, let request):
      return [NotebookEffect.count(word: word, in: state.text, request: request)]
    case .counted(let count, let request):
      state.answers[request] = count
      return []
    case .forget(let request):
      state.answers[request] = nil
      return []
    }
  }

  struct Desk: AsyncEffectHandler {
    let write: @Sendable (String) async -> Void

    func handle(effect: NotebookEffect, dispatch: @escaping DispatchFunc) async {
      switch effect {
      case .save(let text):
        await write(text)
        dispatch(NotebookIntent.saved(text))
      case .count(let word, let text, let request):
        let count = text.split(separator: " ").count { $0 == word }
        dispatch(NotebookIntent.counted(count, request: request))
      }
    }
  }

  @Test("saving, debounced")
  func saving() async {
    let test = TestStore(state: Notebook(), reducer: notebook)
    test.add(effectHandler: Desk { _ in })
    for text in ["G", "Gl", "Glue"] {
      let save = Send(NotebookIntent.save).scheduled(.debounce(.seconds(2)), id: "pause")
      await test.send(NotebookIntent.typed(text), effects: [save]) {
        $0.text = text
        $0.isSaved = false
      }
    }
    await test.clock.advance(by: .seconds(2))
    let save = NotebookEffect.save("Glue").scheduled(.replacing, id: "save")
    await test.receive(NotebookIntent.save, effects: [CancelEffects(id: "pause"), save])
    await test.receive(NotebookIntent.saved("Glue")) { $0.isSaved = true }
    await test.finish()
  }

  @Test("what cannot wait is saved at once, and what was typed meanwhile is unsaved")
  func savingNow() async {
    let clock = TestClock()
    let store = Store(state: Notebook(), reducer: notebook, clock: clock)
    store.add(effectHandler: Desk { _ in try? await clock.sleep(for: .seconds(1)) })
    store.dispatch(NotebookIntent.typed("Gl"))
    store.dispatch(NotebookIntent.save)
    store.dispatch(NotebookIntent.typed("Glue"))
    await clock.advance(by: .seconds(1))
    #expect(!store.state.isSaved)
    await clock.advance(by: .seconds(2))
    #expect(store.state.isSaved)
    await store.settled()
  }

  @Test("a signal ends the program in good order")
  func ending() async {
    let written = Mutex<[String]>([])
    let store = Store(state: Notebook(), reducer: notebook, clock: TestClock())
    store.add(effectHandler: Desk { text in written.withLock { $0.append(text) } })
    let (input, pipe) = (dup(STDIN_FILENO), Pipe())
    dup2(pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO)
    pipe.fileHandleForWriting.write(Data("Glue\n".utf8))
    Task {
      for await text in store.values(of: \.text) where text == "Glue" { break }
      kill(getpid(), SIGTERM)
    }

    let console = Console()
    console.onSignal(SIGHUP) { store.dispatch(NotebookIntent.save) }
    console.readLines { store.dispatch(NotebookIntent.typed($0)) }
    let subscription = store.subscribe(selector: \.isSaved) { console.write($0 ? "saved" : "…") }
    let end = await console.run(store, last: NotebookIntent.save)
    subscription.cancel()
    for line in end.left { console.writeError("not ended: \(line)") }
    if !store.state.isSaved { console.writeError("not saved: \(store.state.text)") }

    #expect(end.signal == SIGTERM)
    #expect(end.left == [])
    #expect(written.withLock { $0 } == ["Glue"])
    dup2(input, STDIN_FILENO)
    close(input)
  }

  func count(_ word: String, request: Int, in store: Store<Notebook>) async -> Int? {
    await store.perform(NotebookIntent.count(word, request: request))
    defer { store.dispatch(NotebookIntent.forget(request: request)) }
    return store.state.answers[request]
  }

  @Test("requests at the same time get their own replies")
  func requests() async {
    let store = Store(state: Notebook(text: "to be or not to be"), reducer: notebook)
    store.add(effectHandler: Desk { _ in })
    async let first = count("be", request: 1, in: store)
    async let second = count("or", request: 2, in: store)
    #expect(await [first, second] == [2, 1])
    #expect(store.state.answers == [:])
  }

  @Test("a call that blocks")
  func blockingCall() async throws {
    let path = "/"
    let names = try await blocking { try FileManager.default.contentsOfDirectory(atPath: path) }
    #expect(names.contains("tmp"))
  }
}
