import Glue
import GlueTesting
import Testing

// An application of two features with asynchronous effects, and its exhaustive test.

/// Searching: what is typed is looked up when nothing more is typed for 300 ms.
enum Lookup {
  struct State: Sendable, Equatable {
    var text = ""
    var titles: [String] = []
    var failure: String?
  }

  enum Action: Intent { case typed(String), found([String]), failed(String) }

  enum Work: Effect, Equatable { case look(for: String) }

  static func reducer(state: inout State, intent: Action) -> [any Effect] {
    switch intent {
    case .typed(""):
      state = State()
      return [CancelEffects(id: "lookup")]
    case .typed(let text):
      state.text = text
      return [Work.look(for: text).scheduled(.debounce(.milliseconds(300)), id: "lookup")]
    case .found(let titles):
      state.titles = titles
      state.failure = nil
      return []
    case .failed(let reason):
      state.failure = reason
      return []
    }
  }

  struct Handler: AsyncEffectHandler {
    let titles: @Sendable (String) async throws -> [String]

    func handle(effect: Work, dispatch: @escaping DispatchFunc) async {
      switch effect {
      case .look(for: let text):
        do {
          dispatch(Action.found(try await titles(text)))
        } catch {
          dispatch(Action.failed("\(error)"))
        }
      }
    }
  }
}

/// Downloading: one after the other, with progress.
enum Downloads {
  struct State: Sendable, Equatable {
    var percent: [String: Int] = [:]
  }

  enum Action: Intent { case start(String), progressed(String, percent: Int) }

  enum Work: Effect, Equatable { case download(String) }

  static func reducer(state: inout State, intent: Action) -> [any Effect] {
    switch intent {
    case .start(let title):
      state.percent[title] = 0
      return [Work.download(title).scheduled(.sequential, id: "downloads")]
    case .progressed(let title, let percent):
      state.percent[title] = percent
      return []
    }
  }

  struct Handler: AsyncEffectHandler {
    let clock: any Clock<Duration>

    func handle(effect: Work, dispatch: @escaping DispatchFunc) async {
      guard case .download(let title) = effect else { return }
      for percent in [50, 100] {
        do { try await clock.sleep(for: .seconds(1)) } catch { return }
        dispatch(Action.progressed(title, percent: percent))
      }
    }
  }
}

struct Library: Sendable, Equatable {
  var lookup = Lookup.State()
  var downloads = Downloads.State()
}

let library: Reducer<Library> = combineReducers {
  withKey(\.lookup, use: Lookup.reducer)
  withKey(\.downloads, use: Downloads.reducer)
}

@Suite("An application of two features")
struct ExampleTests {
  private struct Offline: Error {}

  @Test("looks up what is typed last, and downloads one after the other")
  func flow() async {
    let test = TestStore(state: Library(), reducer: library)
    test.add(effectHandler: Downloads.Handler(clock: test.clock))
    test.add(
      effectHandler: Lookup.Handler { [clock = test.clock] text in
        try await clock.sleep(for: .milliseconds(200))
        if text == "glue" { return ["Glue", "Glued"] }
        throw Offline()
      })

    func look(for text: String) -> any Effect {
      Lookup.Work.look(for: text).scheduled(.debounce(.milliseconds(300)), id: "lookup")
    }

    // Text typed within 300 ms is looked up once.
    await test.send(Lookup.Action.typed("glu"), effects: [look(for: "glu")]) {
      $0.lookup.text = "glu"
    }
    await test.clock.advance(by: .milliseconds(100))
    await test.send(Lookup.Action.typed("glue"), effects: [look(for: "glue")]) {
      $0.lookup.text = "glue"
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(Lookup.Action.found(["Glue", "Glued"])) {
      $0.lookup.titles = ["Glue", "Glued"]
    }

    // A failure is an intent.
    await test.send(Lookup.Action.typed("x"), effects: [look(for: "x")]) { $0.lookup.text = "x" }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(Lookup.Action.failed("Offline()")) { $0.lookup.failure = "Offline()" }

    // Clearing cancels the search that is running.
    await test.send(Lookup.Action.typed("y"), effects: [look(for: "y")]) { $0.lookup.text = "y" }
    await test.clock.advance(by: .milliseconds(400))
    await test.send(Lookup.Action.typed(""), effects: [CancelEffects(id: "lookup")]) {
      $0.lookup = Lookup.State()
    }

    // The second download waits for the first one.
    for title in ["A", "B"] {
      let effect = Downloads.Work.download(title).scheduled(.sequential, id: "downloads")
      await test.send(Downloads.Action.start(title), effects: [effect]) {
        $0.downloads.percent[title] = 0
      }
    }
    for title in ["A", "B"] {
      for percent in [50, 100] {
        await test.clock.advance(by: .seconds(1))
        await test.receive(Downloads.Action.progressed(title, percent: percent)) {
          $0.downloads.percent[title] = percent
        }
      }
    }
    await test.finish()
  }

  @Test("has reducers that are tested in one expression")
  func reducers() {
    expect(Lookup.reducer, from: Lookup.State(failure: "Offline()"), when: .found(["Glue"])) {
      $0.titles = ["Glue"]
      $0.failure = nil
    }
    expect(
      library, from: Library(), when: Downloads.Action.start("A"),
      effects: [Downloads.Work.download("A").scheduled(.sequential, id: "downloads")]
    ) { $0.downloads.percent = ["A": 0] }
  }

  @Test("has handlers that keep their contract")
  func handlers() async {
    await checkContract(effects: [Downloads.Work.download("A")]) { clock in
      Downloads.Handler(clock: clock)
    }
    await checkContract(effects: [Lookup.Work.look(for: "x")]) { clock in
      Lookup.Handler { text in
        try await clock.sleep(for: .seconds(1))
        return [text]
      }
    }
  }

  @Test("ends with the same state in any order of its tasks")
  func orders() async {
    await explore(seeds: 50) { clock in
      let store = Store(state: Library(), reducer: library, clock: clock)
      store.add(effectHandler: Downloads.Handler(clock: clock))
      store.add(effectHandler: Lookup.Handler { text in [text] })
      async let download: Void = store.perform(Downloads.Action.start("A"))
      async let lookup: Void = store.perform(Lookup.Action.typed("glue"))
      await clock.run()
      _ = await (download, lookup)
      #expect(store.state.downloads.percent == ["A": 100])
      #expect(store.state.lookup.titles == ["glue"])
    }
  }
}
