import Dispatch
import Foundation
import Glue
import GlueConsole
import GlueJournal
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
      let save = NotebookEffect.save(state.text).scheduled(.restarting, id: "save")
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
    let save = NotebookEffect.save("Glue").scheduled(.restarting, id: "save")
    await test.receive(NotebookIntent.save, effects: [CancelEffects(id: "pause"), save])
    await test.receive(NotebookIntent.saved("Glue")) { $0.isSaved = true }
    await test.finish()
  }

  @Test("an urgent save happens at once, and text typed meanwhile is unsaved")
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

  @Test("a signal ends the program in order")
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

  @Test("concurrent requests get their own replies")
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
    let names = try await runOnOwnThread {
      try FileManager.default.contentsOfDirectory(atPath: path)
    }
    #expect(names.contains("tmp"))
  }

  struct Job: Codable, Equatable, Sendable {
    let id: Int
    var url: String
    var attempt = 0
  }

  struct Downloads: Codable, Equatable, Sendable {
    var jobs: [Job] = []
    var lastID = 0
    var isPaused = false
  }

  enum DownloadIntent: Intent, Codable {
    case add(url: String), pause(Bool), done(id: Int), failed(id: Int)
  }
  struct Download: Effect, Equatable { var job: Job }

  func downloads(state: inout Downloads, intent: DownloadIntent) -> [any Effect] {
    switch intent {
    case .add(let url):
      state.lastID += 1
      state.jobs.append(Job(id: state.lastID, url: url))
    case .pause(let isPaused): state.isPaused = isPaused
    case .done(let id): state.jobs.removeAll { $0.id == id }
    case .failed(let id):
      guard let index = state.jobs.firstIndex(where: { $0.id == id }) else { return [] }
      state.jobs[index].attempt += 1
    }
    return []
  }

  func running(state: Downloads) -> [LastingEffect] {
    state.isPaused ? [] : state.jobs.prefix(3).map { Download(job: $0).lasting(id: $0.id) }
  }

  private struct Refused: Error {}

  /// The work of a server, which takes a second and refuses the first requests.
  private final class Server: Sendable {
    private let state = Mutex((open: 0, most: 0, refusals: 0))
    var most: Int { state.withLock { $0.most } }

    init(refusals: Int = 0) { state.withLock { $0.refusals = refusals } }

    func answer(on clock: TestClock) async throws {
      let isRefused = state.withLock { state in
        state.open += 1
        state.most = max(state.most, state.open)
        state.refusals -= 1
        return state.refusals >= 0
      }
      defer { state.withLock { $0.open -= 1 } }
      try await clock.sleep(for: .seconds(1))
      if isRefused { throw Refused() }
    }
  }

  private func poolStore(_ server: Server, on clock: TestClock) -> Store<Downloads> {
    let fetch = fetching(from: server, on: clock)
    let store = Store(
      state: Downloads(), reducer: downloads, lasting: running, clock: clock,
      handlers: { handlers in
        handlers.on(Download.self) { effect, dispatch async in
          let (job, backoff) = (effect.job, Backoff(from: .seconds(1), limit: .seconds(60)))
          do {
            if job.attempt > 0 {
              try await clock.sleep(for: backoff.delay(job.attempt - 1, seed: 0))
            }
            try await fetch(job.url)
            dispatch(DownloadIntent.done(id: job.id))
          } catch {
            dispatch(DownloadIntent.failed(id: job.id))
          }
        }
      })
    return store
  }

  private func fetching(
    from server: Server, on clock: TestClock
  ) -> @Sendable (String) async throws -> Void {
    { _ in try await server.answer(on: clock) }
  }

  @Test("a pool runs three at once, in order, and makes room for the next")
  func poolRuns() async {
    let (clock, server) = (TestClock(), Server())
    let store = poolStore(server, on: clock)
    for number in 1...7 { store.dispatch(DownloadIntent.add(url: "\(number)")) }
    await clock.advance(by: .seconds(1))
    #expect(store.state.jobs.map(\.id) == [4, 5, 6, 7])
    await clock.advance(by: .seconds(2))
    #expect(store.state.jobs == [] && server.most == 3)
    await store.shutdown()
  }

  @Test("a paused pool runs nothing, then continues, and retries failed jobs later")
  func poolPauses() async {
    let (clock, server) = (TestClock(), Server(refusals: 1))
    let store = poolStore(server, on: clock)
    store.dispatch(DownloadIntent.add(url: "a"))
    await clock.advance(by: .milliseconds(500))
    store.dispatch(DownloadIntent.pause(true))
    await clock.advance(by: .seconds(10))
    #expect(store.state.jobs == [Job(id: 1, url: "a")])
    store.dispatch(DownloadIntent.pause(false))
    await clock.advance(by: .seconds(1))
    #expect(store.state.jobs == [])
    store.dispatch(DownloadIntent.add(url: "b"))
    await clock.advance(by: .seconds(1))
    #expect(store.state.jobs == [])
    await store.shutdown()
  }

  @Test("a failed job waits before its next attempt")
  func poolRetries() async {
    let clock = TestClock()
    let store = poolStore(Server(refusals: 1), on: clock)
    store.dispatch(DownloadIntent.add(url: "a"))
    await clock.advance(by: .seconds(1))
    #expect(store.state.jobs.map(\.attempt) == [1])
    await clock.advance(by: .milliseconds(1900))
    #expect(store.state.jobs.map(\.attempt) == [1])
    await clock.advance(by: .milliseconds(100))
    #expect(store.state.jobs == [])
    await store.shutdown()
  }

  @Test("a pool with a journal continues after a kill, with the jobs that were running")
  func poolSurvives() async throws {
    let (clock, server, home) = (TestClock(), Server(), TemporaryDirectory())
    let format = JournalFormat(of: Downloads.self, intents: [.named("pool", DownloadIntent.self)])
    func open(_ directory: String) throws -> Store<Downloads> {
      let store = try Store(
        state: Downloads(), reducer: downloads, lasting: running, clock: clock,
        journal: Journal(at: "\(home.path)/\(directory)", format),
        handlers: { handlers in
          handlers.on(Download.self) { effect, dispatch async in
            try? await server.answer(on: clock)
            dispatch(DownloadIntent.done(id: effect.job.id))
          }
        })
      return store
    }
    let killed = try open("jobs")
    for number in 1...4 { killed.dispatch(DownloadIntent.add(url: "\(number)")) }
    await clock.advance(by: .seconds(1))
    #expect(killed.state.jobs.map(\.id) == [4])
    // The files that a kill at this point leaves.
    try FileManager.default.copyItem(
      atPath: "\(home.path)/jobs", toPath: "\(home.path)/left")
    await killed.shutdown()
    let store = try open("left")
    #expect(store.state.jobs.map(\.id) == [4])
    await clock.advance(by: .seconds(1))
    #expect(store.state.jobs == [])
    await store.shutdown()
  }

  struct Services: Codable, Equatable, Sendable {
    var commands: [String] = []
    var isEnding = false
  }

  enum ServiceIntent: Intent, Codable { case began, run(String), stop(String), end }
  struct RunService: Effect, Equatable { var command: String }

  func services(state: inout Services, intent: ServiceIntent) -> [any Effect] {
    switch intent {
    case .began: state.isEnding = false
    case .run(let command): state.commands.append(command)
    case .stop(let command): state.commands.removeAll { $0 == command }
    case .end: state.isEnding = true
    }
    return []
  }

  func children(state: Services) -> [LastingEffect] {
    state.isEnding ? [] : state.commands.map { RunService(command: $0).lasting(id: $0) }
  }

  @Test("a supervisor that ended in order runs its services again")
  func supervisor() async throws {
    let (clock, home) = (TestClock(), TemporaryDirectory())
    let started = Mutex<[String]>([])
    let format = JournalFormat(
      of: Services.self, intents: [.named("service", ServiceIntent.self)])
    @Sendable func run(_ command: String) async {
      started.withLock { $0.append(command) }
      if command == "serve" { try? await clock.sleep(for: .seconds(60)) }
    }
    for isFirst in [true, false] {
      let journal = try Journal(at: "\(home.path)/services", format)

      let store = try Store(
        state: Services(), reducer: services, lasting: children, clock: clock, journal: journal,
        first: [ServiceIntent.began],
        handlers: { handlers in
          handlers.on(RunService.self) { service, _ async in
            repeat {
              await run(service.command)
            } while (try? await clock.sleep(for: .seconds(1))) != nil
          }
        })

      #expect(store.state == Services(commands: isFirst ? [] : ["check", "serve"]))
      if isFirst {
        for command in ["check", "serve"] { store.dispatch(ServiceIntent.run(command)) }
      }
      await clock.advance(by: .seconds(1))
      #expect(started.withLock { $0.sorted() } == ["check", "check", "serve"])
      started.withLock { $0 = [] }
      await store.perform(ServiceIntent.end)
      await store.shutdown()
      try await journal.close()
      #expect(store.state.isEnding)
    }
  }

  /// The date, which continues as a clock does, until an intent corrects it.
  final class Dates: Sendable {
    private let base: Date
    private let elapsed: @Sendable () -> Duration
    private let correction = Mutex(Duration.zero)

    init(_ clock: some Clock<Duration>, from base: Date = .now) {
      let start = clock.now
      self.base = base
      elapsed = { start.duration(to: clock.now) }
    }

    var now: Date { base + (elapsed() + correction.withLock { $0 }) / .seconds(1) }

    func jump(by span: Duration) { correction.withLock { $0 += span } }
  }

  struct Agenda: Codable, Equatable, Sendable {
    var reminders: [Date: String] = [:]
    var shown: [String] = []
    var jumps = 0
  }

  enum AgendaIntent: Intent, Codable {
    case remind(String, at: Date), due(Date), jumped(by: Duration)
  }

  enum AgendaEffect: Effect, Equatable { case wait(until: Date, jumps: Int), watch }
  struct Jump: Effect { var span: Duration }

  func agenda(state: inout Agenda, intent: AgendaIntent) -> [any Effect] {
    switch intent {
    case .remind(let text, let date): state.reminders[date] = text
    case .due(let now):
      let due = state.reminders.filter { $0.key <= now }.sorted { $0.key < $1.key }
      state.shown += due.map(\.value)
      for (date, _) in due { state.reminders[date] = nil }
    case .jumped(let span):
      state.jumps += 1
      return [Jump(span: span)]
    }
    return []
  }

  func waits(state: Agenda) -> [LastingEffect] {
    let next = state.reminders.keys.min()
    return [AgendaEffect.watch.lasting(id: "watch")]
      + (next.map { [AgendaEffect.wait(until: $0, jumps: state.jumps).lasting(id: "wait")] } ?? [])
  }

  @Test("a reminder is shown at its date, although the system's clock jumps")
  func dates() async throws {
    let (clock, base) = (TestClock(), Date(timeIntervalSince1970: 0))
    let set = Mutex(0.0)
    let dates = Dates(clock, from: base)
    @Sendable func systemDate() -> Date {
      base + clock.now.offset / .seconds(1) + set.withLock { $0 }
    }
    let store = Store(
      state: Agenda(), reducer: agenda, lasting: waits, clock: clock,
      handlers: { handlers in
        handlers.on(Jump.self) { jump, _ in dates.jump(by: jump.span) }
        handlers.on(AgendaEffect.self) { effect, dispatch async in
          switch effect {
          case .wait(let date, _):
            let span = Duration.seconds(date.timeIntervalSince(dates.now))
            if (try? await clock.sleep(for: span)) != nil { dispatch(AgendaIntent.due(date)) }
          case .watch:
            while (try? await clock.sleep(for: .seconds(60))) != nil {
              let span = Duration.seconds(systemDate().timeIntervalSince(dates.now))
              if abs(span / .seconds(1)) > 1 { dispatch(AgendaIntent.jumped(by: span)) }
            }
          }
        }
      })
    for (text, time) in [("tea", 100.0), ("lunch", 3_700)] {
      store.dispatch(AgendaIntent.remind(text, at: base + time))
    }
    await clock.advance(by: .seconds(99))
    #expect(store.state.shown == [])
    await clock.advance(by: .seconds(1))
    #expect(store.state.shown == ["tea"])

    set.withLock { $0 = 3_590 }
    await clock.advance(by: .seconds(20))
    #expect(store.state.shown == ["tea", "lunch"])
    #expect(store.state.jumps == 1)
    await store.shutdown()
  }

  struct Run: Codable, Equatable, Sendable { var id: UUID, text: String }
  struct Queue: Codable { var runs: [Run] = [] }
  enum QueueIntent: Intent, Codable { case add(Run), recorded(UUID) }
  struct Record: Effect, Codable, Equatable { var run: Run }

  func queue(state: inout Queue, intent: QueueIntent) -> [any Effect] {
    switch intent {
    case .add(let run):
      state.runs.append(run)
      return [Record(run: run)]
    case .recorded(let id):
      state.runs.removeAll { $0.id == id }
      return []
    }
  }

  @Test("a run is recorded, and leaves the queue")
  func database() async throws {
    let queueFormat = JournalFormat(
      of: Queue.self, intents: [.named("queue", QueueIntent.self)],
      effects: [.atLeastOnce("record", Record.self)])
    let (clock, home) = (TestClock(), TemporaryDirectory())
    let table = Mutex<[UUID: String]>([:])
    @Sendable func insert(_ run: Run) async throws { table.withLock { $0[run.id] = run.text } }
    let store = try Store(
      state: Queue(), reducer: queue, clock: clock,
      journal: Journal(at: "\(home.path)/queue", queueFormat),
      handlers: { handlers in
        handlers.on(Record.self) { effect, dispatch async in
          while (try? await insert(effect.run)) == nil {
            if (try? await clock.sleep(for: .seconds(1))) == nil { return }
          }
          dispatch(QueueIntent.recorded(effect.run.id))
        }
      })
    let run = Run(id: UUID(), text: "one")
    store.dispatch(QueueIntent.add(run))
    for await runs in store.values(of: \.runs) where runs.isEmpty { break }
    #expect(table.withLock { $0 } == [run.id: "one"])
    await store.shutdown()
  }

  @Test("less than 5 % of the pool's code casts, unwraps, wraps or forwards")
  func plumbing() throws {
    let source = try text("Tests/DocumentationTests/Articles/Recipes.swift")
    let parts = [
      ("  struct Job: ", "  private struct Refused"),
      ("    let store = Store(\n      state: Downloads()", "    return"),
    ]
    let code = try parts.flatMap { first, next in
      let start = try #require(source.range(of: first)).lowerBound
      let end = try #require(source[start...].range(of: next)).lowerBound
      return source[start..<end].split(separator: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
    let marks = [
      "as? ", "as! ", "guard case", "[weak", "ElementIntent(", "switch effect", "default:",
    ]
    let plumbing = code.filter { line in
      line == "return []" || marks.contains { line.contains($0) }
    }
    #expect(code.count > 30)
    #expect(plumbing.count * 20 < code.count, "\(plumbing)")
  }

  struct Cart: Equatable, Sendable {
    var prices: [String: Int] = [:] { didSet { total = prices.values.reduce(0, +) } }
    private(set) var total = 0
  }

  @Test("a value is kept up to date")
  func derivedValue() {
    var cart = Cart()
    cart.prices["tea"] = 3
    cart.prices["milk"] = 2
    #expect(cart.total == 5)
  }

  actor Stores<Key: Hashable & Sendable, State: Sendable> {
    private let make: @Sendable (Key) -> Store<State>
    private var stores: [Key: Store<State>] = [:]

    init(make: @escaping @Sendable (Key) -> Store<State>) { self.make = make }

    func store(for key: Key) -> Store<State> {
      if let store = stores[key] { return store }
      let store = make(key)
      stores[key] = store
      return store
    }

    func close(_ key: Key) async { await stores.removeValue(forKey: key)?.shutdown() }
  }

  @Test("each key has a store of its own, until it is closed")
  func manyStores() async {
    let rooms = Stores<String, Notebook> { _ in
      Store(state: Notebook()) { (_: inout Notebook, _: NotebookIntent) in [] }
    }
    await rooms.store(for: "a").dispatch(NotebookIntent.saved("x"))
    #expect(await rooms.store(for: "a") === rooms.store(for: "a"))
    #expect(await rooms.store(for: "a") !== rooms.store(for: "b"))
    weak let first = await rooms.store(for: "a")
    await rooms.close("a")
    #expect(first == nil)
  }
}
