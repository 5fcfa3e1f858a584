import Foundation
import Glue
import GlueCluster
import GlueClusterTesting
import GlueJournal
import Synchronization
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Beyond one process")
struct BeyondOneProcessArticle {
  struct List: Codable, Sendable {
    var items: [String] = []
  }
  enum ListIntent: Intent, Codable { case add(String) }

  @Sendable static func list(state: inout List, intent: ListIntent) -> [any Effect] {
    switch intent {
    case .add(let item): state.items.append(item)
    }
    return []
  }

  /// A recipient that collects the lists it is sent.
  struct Client {
    let came: AsyncStream<[String]>.Continuation
    func send(_ items: [String]) async { came.yield(items) }
  }

  private let format = JournalFormat(of: List.self, intents: [.named("list", ListIntent.self)])

  @Test func whatIsAnsweredIsOnTheDiskAndWhoFollowsIsToldOfIt() async throws {
    let directory = TemporaryFile()
    let journal = try Journal(at: directory.path, format)
    let store = try Store(
      state: List(), reducer: Self.list, delivery: .queue(DispatchQueue(label: "list")),
      journal: journal)
    try await add("milk", to: store, journal)
    let recording = try Recording(at: directory.path, format)
    #expect(try recording.state(at: 1, reducer: Self.list).items == ["milk"])

    let (lists, came) = AsyncStream.makeStream(of: [String].self)
    let following = Task { await follow(store, Client(came: came)) }
    #expect(await lists.first { _ in true } == ["milk"])
    following.cancel()
    await following.value
    try await journal.close()
  }

  private func add(_ item: String, to store: Store<List>, _ journal: Journal<List>) async throws {
    store.dispatch(ListIntent.add(item))
    try await journal.synced()
  }

  private func follow(_ store: Store<List>, _ client: Client) async {
    for await items in store.values(of: \.items) {
      await client.send(items)
    }
  }
}

/// Stands for the engine of the article's package, which needs a server.
private struct NATS {
  static let memory = Mutex<[String: MemoryLog]>([:])

  init(_ servers: [String]) throws {}

  func log(_ name: String, copies: Int) -> MemoryLog.Connection {
    Self.memory.withLock { logs in
      let log = logs[name] ?? MemoryLog()
      logs[name] = log
      return log.connection()
    }
  }
}

/// Makes the article's replicas, which give up only after an hour, because other tests share the
/// processors.
// swift-format-ignore: AlwaysUseLowerCamelCase
private func SharedStore<State: Codable & Sendable>(
  state: State, versions: [SharedVersion<State>], format: JournalFormat<State>, replica: String,
  log: some Log, handlers: (Store<Replicated<State, Void>>) -> Void = { _ in }
) -> GlueCluster.SharedStore<State, Void> {
  .init(
    state: state, versions: versions, format: format, replica: replica, log: log,
    deadline: .seconds(3600), handlers: handlers)
}

@Suite("Beyond one process: a cluster")
struct ClusterArticle {
  struct Counter: Codable, Sendable {
    var value = 0
  }

  enum CounterIntent: Intent, Codable {
    case increment, decrement
  }

  private static func run(_ label: String, typing lines: [String]) async throws -> [Int] {
    var lines = lines[...]
    func readLine() -> String? { lines.popFirst() }
    enum CommandLine { nonisolated(unsafe) static var arguments = ["Shared", ""] }
    CommandLine.arguments[1] = label
    let (printed, printing) = AsyncStream.makeStream(of: Int.self)
    func print(_ text: String) { printing.yield(Int(text.dropFirst("Counter: ".count)) ?? -1) }

    @Sendable func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
      switch intent {
      case .increment: state.value += 1
      case .decrement: state.value -= 1
      }
      return []
    }

    let format = JournalFormat(
      of: Counter.self, intents: [.named("counter", CounterIntent.self)])
    let log = try NATS(["nats://127.0.0.1:4222"]).log("counter", copies: 1)
    let shared = SharedStore(
      state: Counter(), versions: [.version(1, reducer: counter)], format: format,
      replica: CommandLine.arguments[1], log: log)
    let subscription = shared.store.subscribe(selector: \.state.value) { print("Counter: \($0)") }

    while let line = readLine() {
      try await shared.send(line == "-" ? CounterIntent.decrement : .increment)
    }
    await shared.close()

    subscription.cancel()
    printing.finish()
    return await printed.reduce(into: []) { $0.append($1) }
  }

  @Test func threeReplicasCountTogether() async throws {
    #expect(try await Self.run("a", typing: ["", ""]).last == 2)
    #expect(try await Self.run("b", typing: ["-"]).last == 1)
    #expect(try await Self.run("c", typing: [""]).last == 2)
  }
}

/// Yields the snapshots that a replica keeps, and drops no entries.
private struct Keeping: Log {
  let log: MemoryLog.Connection
  let kept: AsyncStream<LogSnapshot>.Continuation

  func append(_ entry: [UInt8], within limit: Duration) async throws(LogError) -> LogPosition {
    try await log.append(entry, within: limit)
  }

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    try await log.read(from: first, within: limit)
  }

  func snapshot() async throws(LogError) -> LogSnapshot? { try await log.snapshot() }

  func keep(_ snapshot: LogSnapshot, trimmingBelow position: LogPosition) async throws(LogError) {
    try await log.keep(snapshot, trimmingBelow: 0)
    kept.yield(snapshot)
  }
}

@Suite("Beyond one process: a cluster's recipes")
struct ClusterRecipes {
  struct Counter: Codable, Sendable {
    var value = 0
    var step: Int?  // missing in what the old program wrote
  }

  enum CounterIntent: Intent, Codable {
    case increment
  }

  enum StepIntent: Intent, Codable {
    case set(Int)
  }

  @Sendable static func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    state.value += state.step ?? 1
    return []
  }

  @Sendable static func steps(state: inout Counter, intent: any Intent) -> [any Effect] {
    if case StepIntent.set(let step) = intent { state.step = step }
    return (intent as? CounterIntent).map { counter(state: &state, intent: $0) } ?? []
  }

  private let format = JournalFormat(
    of: Counter.self,
    intents: [.named("counter", CounterIntent.self), .named("step", StepIntent.self)])

  /// The old program has another type, and other names.
  @Sendable private static func oldCounter(
    state: inout ClusterArticle.Counter, intent: CounterIntent
  ) -> [any Effect] {
    state.value += 1
    return []
  }

  private func oldReplica(
    on log: some Log, snapshotEvery: Int = 10_000
  ) -> GlueCluster.SharedStore<ClusterArticle.Counter, Void> {
    .init(
      state: ClusterArticle.Counter(), versions: [.version(1, reducer: Self.oldCounter)],
      format: JournalFormat(
        of: ClusterArticle.Counter.self, intents: [.named("counter", CounterIntent.self)]),
      replica: "old", log: log, deadline: .seconds(3600), snapshotEvery: snapshotEvery)
  }

  @Test func aNewVersionIsReachedWithoutAStop() async throws {
    let (counter, steps) = (Self.counter, Self.steps)
    let log = MemoryLog()
    let (kept, keeping) = AsyncStream.makeStream(of: LogSnapshot.self)
    let old = oldReplica(on: Keeping(log: log.connection(), kept: keeping), snapshotEvery: 1)
    try await old.send(CounterIntent.increment)
    let snapshot = try #require(await kept.first { _ in true })
    let entries = try await log.connection().read(from: 1, within: .zero).entries

    let versions: [SharedVersion<Counter>] = [
      .version(1, reducer: counter),
      .version(2, reducer: steps, adds: { $0 is StepIntent }) { state in
        state.step = 1
      },
    ]
    try checkUpgrade(from: snapshot, entries: entries, versions: versions, format: format)

    let shared = SharedStore(
      state: Counter(), versions: versions, format: format, replica: "new",
      log: log.connection())
    try await shared.send(CounterIntent.increment)
    await #expect(throws: SharedStoreError.self) { try await shared.send(StepIntent.set(5)) }
    await #expect(throws: UpgradeError.notReady(["old"])) { try await shared.upgrade(to: 2) }
    await old.close()
    try await shared.upgrade(to: 2)
    try await shared.send(StepIntent.set(5))
    try await shared.send(CounterIntent.increment)
    #expect(shared.store.state.state.value == 7)
    await shared.close()
  }

  @Test func aReplicaThatNeverComesBackIsTakenOut() async throws {
    let log = MemoryLog()
    // Its process ends without a word.
    do {
      let old = oldReplica(on: log.connection())
      try await old.catchUp()
    }
    let (counter, steps) = (Self.counter, Self.steps)
    let shared = SharedStore(
      state: Counter(),
      versions: [.version(1, reducer: counter), .version(2, reducer: steps)], format: format,
      replica: "new", log: log.connection())
    await #expect(throws: UpgradeError.notReady(["old"])) { try await shared.upgrade(to: 2) }
    try await shared.remove(replica: "old")
    try await shared.upgrade(to: 2)
    #expect(shared.status.replicas == ["new": 2])
    await shared.close()
  }

  private struct Ages: Codable, Sendable {
    var years: [Int] = []
  }

  /// Refuses some of what it encodes.
  private struct Age: Intent, Codable {
    let years: Int

    init(_ years: Int) { self.years = years }

    init(from decoder: any Decoder) throws {
      years = try AnyAge(from: decoder).years
      if years < 0 {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
      }
    }
  }

  private struct AnyAge: Codable {
    let years: Int
  }

  @Test func anEntryThatStopsAllIsReadByItsFormerName() async throws {
    @Sendable func ages(state: inout Ages, intent: Age) -> [any Effect] {
      state.years.append(intent.years)
      return []
    }
    struct Unchecked: Intent, Codable { let years: Int }

    // A program of the past wrote it, which didn't check.
    let log = MemoryLog()
    let past = SharedStore(
      state: Ages(), versions: [.version(1, reducer: { (_: inout Ages, _: Unchecked) in [] })],
      format: JournalFormat(of: Ages.self, intents: [.named("age", Unchecked.self)]),
      replica: "past", log: log.connection())
    try await past.send(Unchecked(years: -1))
    await past.close()

    let stuck = SharedStore(
      state: Ages(), versions: [.version(1, reducer: ages)],
      format: JournalFormat(of: Ages.self, intents: [.named("age", Age.self)]), replica: "a",
      log: log.connection())
    for await link in stuck.store.values(of: { $0.link }) {
      if case .stopped(.unreadable) = link { break }
    }
    await stuck.close()

    let format = JournalFormat(
      of: Ages.self,
      intents: [
        .formerly("age", AnyAge.self) { Age($0.years) }, .named("checked age", Age.self),
      ])
    let cured = SharedStore(
      state: Ages(), versions: [.version(1, reducer: ages)], format: format, replica: "a",
      log: log.connection())
    await #expect(throws: SharedStoreError.self) { try await cured.send(Age(-2)) }
    try await cured.send(Age(3))
    #expect(cured.store.state.state.years == [-1, 3])
    await cured.close()
  }

  /// A new case needs a row, or this doesn't compile.
  private func row(_ event: SharedStoreEvent) -> String {
    switch event {
    case .linkLost: "linkLost"
    case .linkBack: "linkBack"
    case .logWentBack: "logWentBack"
    case .behind: "behind"
    case .stopped(.version): "stopped(.version)"
    case .stopped(.unreadable): "stopped(.unreadable)"
    case .stopped(.logRecreated): "stopped(.logRecreated)"
    case .stopped(.diverged): "stopped(.diverged)"
    case .stopped(let error): "\(error), which ends no reading"
    case .snapshotFailed: "snapshotFailed"
    case .ownerChanged: "ownerChanged"
    case .cannotDo: "cannotDo"
    case .resultNotSent: "resultNotSent"
    case .notHandedOver: "notHandedOver"
    case .differs: "differs"
    case .labelInUse: "labelInUse"
    case .upgraded: "upgraded"
    }
  }

  @Test func theTableHasARowForEachEvent() throws {
    let id = try JSONDecoder().decode(
      OwedID.self, from: Data(#"{"position":1,"index":0}"#.utf8))
    let errors: [SharedStoreError] = [
      .version(log: 2, known: 1...1, position: 1), .unreadable(position: 1, ""), .logRecreated(""),
      .diverged(position: 1),
    ]
    let events: [SharedStoreEvent] =
      errors.map { .stopped($0) } + [
        .linkLost(""), .linkBack, .logWentBack(from: 2, to: 1, acknowledged: []), .behind(by: 1),
        .snapshotFailed(position: 1, ""), .ownerChanged(nil),
        .cannotDo(id, effect: "", ""), .resultNotSent(id, effect: "", .notSent("")),
        .notHandedOver([id: ""]), .differs(position: 1, path: ""),
        .labelInUse(""), .upgraded(to: 2),
      ]
    let rows = try text("Sources/Glue/Glue.docc/BeyondOneProcess.md")
      .components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    for event in events {
      #expect(rows.contains { $0.contains("`\(row(event))`") }, "\(event) has no row")
    }
  }

  private struct Chime: Effect {}
  private static let chimes = Mutex(0)

  /// Stands for the library's function.
  @Sendable private static func print(_ text: String) {
    chimes.withLock { $0 += 1 }
  }

  @Test func handlersOfABlockGetTheEffectsOfEntries() async throws {
    let log = MemoryLog().connection()
    let print = Self.print
    @Sendable func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
      [Chime()]
    }

    let shared = SharedStore(
      state: Counter(), versions: [.version(1, reducer: counter)], format: format, replica: "a",
      log: log,
      handlers: { store in
        store.on(Chime.self) { _, _ in print("\u{7}") }
      })

    try await shared.send(CounterIntent.increment)
    await shared.store.delivered()
    #expect(Self.chimes.withLock { $0 } == 1)
    await shared.close()
  }

  @Test func aBackupIsRestoredInAnotherLog() async throws {
    let counter = Self.counter
    let shared = SharedStore(
      state: Counter(), versions: [.version(1, reducer: counter)], format: format, replica: "a",
      log: MemoryLog().connection())
    for _ in 0..<3 { try await shared.send(CounterIntent.increment) }
    #expect(shared.status.owed == 0)
    let backup = try JSONEncoder().encode(shared.store.state.state)
    await shared.close()

    let anotherLog = MemoryLog().connection()
    let restored = SharedStore(
      state: try JSONDecoder().decode(Counter.self, from: backup),
      versions: [.version(1, reducer: counter)], format: format, replica: "a", log: anotherLog)
    try await restored.send(CounterIntent.increment)
    #expect(restored.store.state.state.value == 4)
    await restored.close()
  }

  @Test func shardsAreMovedByFollowingThemThere() async throws {
    /// FNV-1a, the same in every process; `Hasher` isn't.
    func shard(of key: String, among count: Int) -> Int {
      let hash = key.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01B3
      }
      return Int(hash % UInt64(count))
    }

    struct NotHere: Error { let shard: Int }

    func send(
      _ intent: CounterIntent, to customer: String,
      in shards: [Int: SharedStore<[String: Counter], Void>]
    ) async throws {
      let shard = shard(of: customer, among: 16)
      guard let store = shards[shard] else { throw NotHere(shard: shard) }
      try await store.send(ElementIntent(id: customer, intent: intent))
    }

    #expect(shard(of: "anna", among: 16) == 11 && shard(of: "ben", among: 16) == 10)
    let logs = (0..<16).map { _ in MemoryLog() }
    let customers = JournalFormat(
      of: [String: Counter].self,
      intents: [.elements("customer", id: String.self), .named("counter", CounterIntent.self)])
    func follow(_ number: Int, as label: String) -> SharedStore<[String: Counter], Void> {
      SharedStore(
        state: ["anna": Counter(), "ben": Counter()],
        versions: [.version(1, reducer: forEach(\.self, use: Self.counter))],
        format: customers, replica: label, log: logs[number].connection())
    }
    var here = [10: follow(10, as: "here"), 11: follow(11, as: "here")]
    try await send(.increment, to: "anna", in: here)
    try await send(.increment, to: "ben", in: here)

    // Moved: first followed there, then closed here.
    let there = [10: follow(10, as: "there")]
    try await there[10]?.catchUp()
    await here.removeValue(forKey: 10)?.close()
    await #expect(throws: NotHere.self) { try await send(.increment, to: "ben", in: here) }
    try await send(.increment, to: "ben", in: there)
    #expect(there[10]?.store.state.state["ben"]?.value == 2)
    #expect(here[11]?.store.state.state["anna"]?.value == 1)
    for store in [here[11], there[10]] { await store?.close() }
  }
}
