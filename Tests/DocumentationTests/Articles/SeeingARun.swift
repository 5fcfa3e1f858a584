import Foundation
import Glue
import GlueInspector
import GlueJournal
import GlueLogging
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Seeing a run")
struct SeeingARun {
  struct Todos: Codable, Sendable {
    var titles: [String] = []
    var session = Session()
  }

  struct Session: Codable, Sendable {
    var token = "hunter2"
    var since = Date(timeIntervalSince1970: 0)
  }

  struct SaveTodos: Effect {}

  enum TodoIntent: Intent, Codable { case add(String), signIn }

  func todos(state: inout Todos, intent: TodoIntent) -> [any Effect] {
    switch intent {
    case .add(let title): state.titles.append(title)
    case .signIn: state.session = Session(token: "hunter3", since: .distantFuture)
    }
    return []
  }

  @Test("as a page and as a trace")
  func writing() throws {
    let file = TemporaryFile()
    let path = file.path
    let inspector = Inspector<Todos>(limit: 100_000)
    let store = Store(state: Todos(), reducer: todos, monitors: [inspector])
    store.dispatch(TodoIntent.add("Buy milk"))
    try inspector.writePage(to: path)
    #expect(try file.text.contains("Buy milk"))

    try inspector.writeTrace(to: path)

    #expect(try file.text.contains(#""ph":"i""#))
  }

  @Test("without secrets")
  func discretion() throws {
    let discreet = Inspector<Todos>(
      redact: [.path("session.token")],
      describe: { value, _ in (value as? Date).map { $0.formatted(.iso8601) } })

    let file = TemporaryFile()
    Store(state: Todos(), reducer: todos, monitors: [discreet]).dispatch(TodoIntent.signIn)
    try discreet.writePage(to: file.path)
    #expect(try !file.text.contains("hunter"))
    #expect(try file.text.contains("1970-01-01T00:00:00Z"))
  }

  @Test("with lanes")
  func lanes() throws {
    let laned = Inspector<Todos>(lane: { effect in effect is SaveTodos ? "save" : nil })

    let file = TemporaryFile()
    let store = Store(
      state: Todos(), reducer: { (_: inout Todos, _: TodoIntent) in [SaveTodos()] },
      monitors: [laned])
    store.on(SaveTodos.self) { _, _ in }
    store.dispatch(TodoIntent.signIn)
    try laned.writePage(to: file.path)
    #expect(try file.text.contains(#""lanes":[[0,1]]"#))
  }

  let format = JournalFormat(of: Todos.self, intents: [.named("todo", TodoIntent.self)])

  @Test("of a recording")
  func recording() throws {
    let (report, file) = (TemporaryFile(), TemporaryFile())
    let (reportPath, pagePath) = (report.path, file.path)
    do {
      let store = try Store(
        state: Todos(), reducer: todos, journal: Journal(at: reportPath, format))
      for title in ["milk", "bread"] { store.dispatch(TodoIntent.add(title)) }
    }
    let inspector = Inspector<Todos>(limit: 100_000)
    for step in try Recording(at: reportPath, format).steps(reducer: todos) {
      inspector.observe(step.commit, at: step.seconds, place: step.place)
    }
    try inspector.writePage(to: pagePath)
    let text = try file.text
    #expect(text.contains(#"{"number":1,"#) && text.contains(#"record 3""#))
    #expect(text.contains(#"["titles[1]","+","\"bread\""]"#))
  }

  /// Takes what is sent.
  struct Client {
    private let sent = AsyncStream.makeStream(of: String.self)

    func send(_ text: String) async { sent.continuation.yield(text) }

    var first: String {
      get async { await sent.stream.first { _ in true } ?? "" }
    }
  }

  @Test("live")
  func live() async {
    func serve(_ inspector: Inspector<Todos>, to client: Client) async {
      for await event in inspector.events {
        await client.send("data: \(event)\n\n")
      }
    }

    let client = Client()
    let inspector = Inspector<Todos>()
    do {
      let page = inspector.page(live: "/events")

      #expect(page.contains("connect-src 'self'"))
    }
    Store(state: Todos(), reducer: todos, monitors: [inspector]).dispatch(TodoIntent.signIn)
    let serving = Task { await serve(inspector, to: client) }
    #expect(await client.first.hasPrefix("data: {\"number\":1,"))
    serving.cancel()
    await serving.value
  }
}
