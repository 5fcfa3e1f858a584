import Glue
import GlueCluster
import GlueJournal
import ProcessSupport
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("A new version without downtime", .jumpingTime)
struct NewVersions {
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
    state: inout ThreeReplicas.Counter, intent: CounterIntent
  ) -> [any Effect] {
    state.value += 1
    return []
  }

  private func oldReplica(
    on log: some Log, snapshotEvery: Int = 10_000
  ) -> GlueCluster.SharedStore<ThreeReplicas.Counter, Void> {
    .init(
      state: ThreeReplicas.Counter(), versions: [.version(1, reducer: Self.oldCounter)],
      format: JournalFormat(
        of: ThreeReplicas.Counter.self, intents: [.named("counter", CounterIntent.self)]),
      replica: "old", log: log, snapshotEvery: snapshotEvery, clock: JumpingClock())
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
}
