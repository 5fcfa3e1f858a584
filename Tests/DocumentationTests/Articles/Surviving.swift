import Foundation
import Glue
import GlueJournal
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Surviving")
struct SurvivingArticle {
  struct Todos: Codable, Sendable, Equatable {
    var open: [String] = []
    var sent = 0
  }
  enum TodoIntent: Intent, Codable { case add(String), share, shared }
  enum MailEffect: Effect, Codable { case list([String]) }

  func todos(state: inout Todos, intent: TodoIntent) -> [Effect] {
    switch intent {
    case .add(let title): state.open.append(title)
    case .share: return [MailEffect.list(state.open)]
    case .shared: state.sent += 1
    }
    return []
  }

  let format = JournalFormat(
    of: Todos.self, intents: [.named("todo", TodoIntent.self)],
    effects: [.atLeastOnce("mail", MailEffect.self)])

  struct Tasks: Codable, Sendable {
    var titles: [String] = []
  }

  enum TaskIntent: Intent, Codable { case add(title: String), send, sent }
  enum OldTodo: Codable { case add(String), share, shared }  // TodoIntent as it was

  let newFormat = JournalFormat(
    of: Tasks.self, version: 2,
    intents: [
      .named("task", TaskIntent.self),
      .formerly("todo", OldTodo.self) { old -> TaskIntent in
        switch old {
        case .add(let title): .add(title: title)
        case .share: .send
        case .shared: .sent
        }
      },
    ],
    effects: [.atLeastOnce("mail", MailEffect.self)],
    migrate: [.from(1, Todos.self) { Tasks(titles: $0.open) }])

  @Sendable func tasks(state: inout Tasks, intent: TaskIntent) -> [Effect] {
    switch intent {
    case .add(let title): state.titles.append(title)
    case .send: return [MailEffect.list(state.titles)]
    case .sent: break
    }
    return []
  }

  private let home = TemporaryDirectory()
  private var directory: String { home.path + "/journal" }

  @Sendable func send(_ effect: MailEffect) async {}

  private func run() async throws -> Todos {
    let journal = try Journal(at: directory, format)
    let store = try Store(
      state: Todos(), reducer: todos, journal: journal,
      handlers: { handlers in
        handlers.on(MailEffect.self) { (effect, dispatch) async in
          await send(effect)
          dispatch(TodoIntent.shared)
        }
      })
    store.dispatch(TodoIntent.add("write"))
    await store.shutdown()
    try await journal.close()  // In time for the next owner.
    return store.state
  }

  @Test("a store continues where it was, and so does a new version")
  func goesOn() async throws {
    #expect(try await run().open == ["write"])
    #expect(try await run().open == ["write", "write"])
    let journal = try Journal(at: directory, newFormat)
    let store = try Store(state: Tasks(), reducer: tasks, journal: journal)
    #expect(store.state.titles == ["write", "write"])
  }

  @Test("a new version reads what a killed process wrote")
  func formerly() throws {
    let copy = try killed()
    let journal = try Journal(at: copy, newFormat)
    let store = try Store(state: Tasks(), reducer: tasks, journal: journal)
    #expect(store.state.titles == ["0", "1", "2", "3"])
  }

  @Test func bug17() throws {
    let file = URL(filePath: "bug-17", relativeTo: URL(filePath: #filePath)).path
    #expect(try Recording(at: file, format).verify(reducer: todos) == nil)
  }
}

// MARK: - What ends with the process

@Suite("Surviving: what ends with the process, and what is worth keeping")
struct SurvivingDownloads {
  struct Downloads: Codable, Sendable, Equatable {
    var files: [String] = []
    var isConnected = false
  }
  enum DownloadIntent: Intent, Codable { case began, add(String), connected, finished(String) }
  struct Download: Effect, Equatable { var file: String }

  func downloads(state: inout Downloads, intent: DownloadIntent) -> [Effect] {
    switch intent {
    case .began: state.isConnected = false
    case .add(let file): state.files.append(file)
    case .connected: state.isConnected = true
    case .finished(let file): state.files.removeAll { $0 == file }
    }
    return []
  }

  func running(state: Downloads) -> [LastingEffect] {
    state.isConnected ? state.files.map { Download(file: $0).lasting(id: $0) } : []
  }

  let format = JournalFormat(of: Downloads.self, intents: [.named("download", DownloadIntent.self)])

  enum ProgressIntent: Intent, Codable { case received(Int, of: String) }

  @Sendable func shown(state: inout [String: Int], intent: ProgressIntent) -> [Effect] {
    if case .received(let count, let file) = intent { state[file] = count }
    return []
  }

  @Test("a first intent resets facts of the last process, before anything sees them")
  func began() async throws {
    let home = TemporaryDirectory()
    do {
      let journal = try Journal(at: home.path + "/journal", format)
      let store = try Store(state: Downloads(), reducer: downloads, journal: journal)
      for intent in [DownloadIntent.add("a"), .connected] { store.dispatch(intent) }
      try await journal.close()
    }
    let journal = try Journal(at: home.path + "/journal", format)
    let progress = Store(state: [:], reducer: shown)
    let requested = AsyncStream<String>.makeStream()
    @Sendable func bytes(of file: String) -> AsyncStream<Int> {
      requested.continuation.yield(file)
      return AsyncStream { stream in
        for count in [50, 100] { stream.yield(count) }
        stream.finish()
      }
    }

    let store = try Store(
      state: Downloads(), reducer: downloads, lasting: running, journal: journal,
      first: [DownloadIntent.began],
      handlers: { handlers in
        handlers.on(Download.self) { download, dispatch async in
          for await count in bytes(of: download.file) {
            progress.dispatch(ProgressIntent.received(count, of: download.file))
          }
          dispatch(DownloadIntent.finished(download.file))
        }
      })

    #expect(store.state == Downloads(files: ["a"]))
    requested.continuation.yield("nothing before it is connected")
    store.dispatch(DownloadIntent.connected)
    for await files in store.values(of: \.files) where files.isEmpty { break }
    requested.continuation.finish()
    let files = await requested.stream.reduce(into: []) { $0.append($1) }
    #expect(files == ["nothing before it is connected", "a"])
    #expect(progress.state == ["a": 100])
    await store.shutdown()
  }

  @Test("a test begins with the state that a process left")
  func testing() async {
    let recovered = Downloads(files: ["a"], isConnected: true)
    let test = TestStore(state: recovered, reducer: downloads)
    await test.send(DownloadIntent.began) { $0.isConnected = false }
    await test.finish()
  }

  @Test("four downloads that each report their progress 400 times write about 210 KB")
  func size() async throws {
    let home = TemporaryDirectory()
    let format = JournalFormat(
      of: [String: Int].self, intents: [.named("progress", ProgressIntent.self)])
    let journal = try Journal(at: home.path + "/journal", format, durability: .written)
    let store = try Store(state: [:], reducer: shown, journal: journal)
    for count in 1...400 {
      for number in 1...4 {
        store.dispatch(ProgressIntent.received(count * 4096, of: "download-\(number)"))
      }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: home.path + "/journal")
    let sizes = try files.filter { $0.hasSuffix(".log") }.map {
      try Data(contentsOf: URL(filePath: "\(home.path)/journal/\($0)")).count
    }
    #expect((200_000...220_000).contains(sizes.reduce(0, +)))
    withExtendedLifetime(store) {}
  }
}

// MARK: - The format, and repairs

extension SurvivingArticle {
  /// The files of a process killed after its fourth commit; an earlier one ended after the
  /// first.
  private func killed() throws -> String {
    try Store(state: Todos(), reducer: todos, journal: Journal(at: directory, format))
      .dispatch(TodoIntent.add("0"))
    // Until it runs its program, a child that another test starts has the lock open too.
    let journal = try Journal(at: directory, format, waiting: .seconds(60))
    let store = try Store(state: Todos(), reducer: todos, journal: journal)
    for title in ["1", "2", "3"] { store.dispatch(TodoIntent.add(title)) }
    let copy = home.path + "/copy"
    try FileManager.default.copyItem(atPath: directory, toPath: copy)
    return withExtendedLifetime(store) { copy }
  }

  @Test("the lines of the article on the format were recorded")
  func linesOfTheFormat() throws {
    let article = try text("Sources/GlueJournal/GlueJournal.docc/TheFormat.md")
    let lines = article.components(separatedBy: "\n").filter { $0.contains(#" {"n":"#) }
    let recorded = try text("Tests/DocumentationTests/Articles/bug-17")
    #expect(lines.count == 2)
    for line in lines { #expect(recorded.contains("\(line)\n")) }
  }

  /// The titles of a repaired journal; nil if it can't be opened.
  private func titles(in directory: String) -> [String]? {
    try? Store(state: Todos(), reducer: todos, journal: Journal(at: directory, format)).state.open
  }

  private func remove(_ endings: [String], of number: String, in directory: String) throws {
    for ending in endings {
      try FileManager.default.removeItem(atPath: "\(directory)/\(number).\(ending)")
    }
  }

  private func change(_ file: String, _ change: (inout Data) -> Void) throws {
    let file = URL(filePath: file)
    var bytes = try Data(contentsOf: file)
    change(&bytes)
    try bytes.write(to: file)
  }

  /// The number of the newest state: the first log holds two records.
  private static let newest = "0000000000000003"

  @Test("removing a damaged state loses nothing")
  func damagedState() throws {
    let copy = try killed()
    try change("\(copy)/\(Self.newest).state") { $0[20] ^= 1 }
    #expect(titles(in: copy) == nil)
    try remove(["state"], of: Self.newest, in: copy)
    #expect(titles(in: copy) == ["0", "1", "2", "3"])
  }

  @Test("a log cut where the message says keeps the commits before")
  func damagedLog() throws {
    let copy = try killed()
    let log = "\(copy)/\(Self.newest).log"
    try change(log) { bytes in
      let title = bytes.firstRange(of: Data(#""_0":"2""#.utf8))
      bytes[title?.lowerBound ?? 0] ^= 1
    }
    let error = #expect(throws: JournalError.self) { try Journal(at: copy, format) }
    #expect(error?.path == log)
    #expect(try Directory(at: copy).cutDamage().bytes > 150)
    #expect(titles(in: copy) == ["0", "1"])
  }

  @Test("removing a log damaged at byte 0, and its state, keeps the commits before")
  func damagedBeginning() throws {
    let copy = try killed()
    try change("\(copy)/\(Self.newest).log") { $0[20] ^= 1 }
    let error = #expect(throws: JournalError.self) { try Journal(at: copy, format) }
    #expect(error?.offset == 0)
    let stateFile = "\(copy)/\(Self.newest).state"
    let commit = 1
    let saved = try Recording(at: stateFile, format).state(at: commit, reducer: todos)
    try remove(["log", "state"], of: Self.newest, in: copy)
    #expect(titles(in: copy) == ["0"])
    #expect(saved.open == ["0"])
  }

  @Test("the same program writes the same first state elsewhere")
  func damagedFirstState() throws {
    let copy = try killed()
    try remove(["log", "state"], of: Self.newest, in: copy)
    let first = "\(copy)/0000000000000001.state"
    try change(first) { $0[20] ^= 1 }
    #expect(titles(in: copy) == nil)
    let elsewhere = home.path + "/elsewhere"
    #expect(titles(in: elsewhere) == [])
    let whole = try Data(contentsOf: URL(filePath: "\(elsewhere)/0000000000000001.state"))
    try change(first) { $0 = whole }
    #expect(titles(in: copy) == ["0"])
  }
}
