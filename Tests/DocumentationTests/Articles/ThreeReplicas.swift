import Glue
import GlueCluster
import GlueJournal
import ProcessSupport
import Synchronization
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

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

@Suite("A counter on three replicas", .jumpingTime)
struct ThreeReplicas {
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

  private struct Chime: Effect {}
  private static let chimes = Mutex(0)

  /// Stands for the library's function.
  @Sendable private static func print(_ text: String) {
    chimes.withLock { $0 += 1 }
  }

  @Test func handlersOfABlockGetTheEffectsOfEntries() async throws {
    let log = MemoryLog().connection()
    let format = JournalFormat(
      of: Counter.self, intents: [.named("counter", CounterIntent.self)])
    let print = Self.print
    @Sendable func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
      [Chime()]
    }

    let shared = SharedStore(
      state: Counter(), versions: [.version(1, reducer: counter)], format: format, replica: "a",
      log: log,
      handlers: { handlers in
        handlers.on(Chime.self) { _, _ in print("\u{7}") }
      })

    try await shared.send(CounterIntent.increment)
    await shared.store.delivered()
    #expect(Self.chimes.withLock { $0 } == 1)
    await shared.close()
  }
}
