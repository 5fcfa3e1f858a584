import Glue
import GlueCluster
import GlueJournal
import ProcessSupport
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Many stores, sharded by key", .jumpingTime)
struct ManyLogs {
  struct Counter: Codable, Sendable {
    var value = 0
  }

  enum CounterIntent: Intent, Codable {
    case increment
  }

  @Sendable static func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    state.value += 1
    return []
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
