import ArgumentParser
import FlyingFox
import Foundation
import Glue
import GlueCluster
import GlueJournal
import Logging

struct Counter: Codable, Equatable, Sendable {
  var value = 0
}

enum CounterIntent: Intent, Codable {
  case increment
  case decrement
}

enum CounterEffect: Effect, Equatable {
  case ring
}

func counter(state: inout Counter, intent: CounterIntent) -> [CounterEffect] {
  switch intent {
  case .increment: state.value += 1
  case .decrement: state.value -= 1
  }
  return state.value == 0 ? [.ring] : []
}

let counterFormat = JournalFormat(
  of: Counter.self, intents: [.named("counter", CounterIntent.self)])

/// Shows the counter whenever it changes, and sends each typed `+` and `-`; `?` shows the status.
///
/// The bell rings in the one terminal that brought the counter to zero.
struct CounterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counter",
    abstract: "A counter: + and - change it in every terminal that names the same engine.")

  @OptionGroup var engine: Engine

  @Option(
    help: "This replica's name on this host, the same after a restart; each terminal has one.")
  var replica = "a"

  @Option(
    help: "The port at which GET /health answers 200 while this replica is healthy, else 503.")
  var health: UInt16?

  @Option(help: "The most entries that a healthy replica may have yet to reduce.")
  var lag = 1_000

  func run() async throws {
    let label = "\(ProcessInfo.processInfo.hostName)-\(replica)"
    let logger = Logger(label: label, factory: { StreamLogHandler.standardError(label: $0) })
    let shared = SharedStore(
      state: Counter(), versions: [.version(1, reducer: counter)], format: counterFormat,
      replica: label, log: try engine.log(), report: logger.report)
    let gauges = shared.measure(as: label)
    if let health {
      let server = await shared.healthServer(port: health, lag: lag)
      Task {
        do { try await server.run() } catch { logger.error("No health at \(health): \(error)") }
      }
    }
    shared.store.on(CounterEffect.self) { _, _ in say("\u{7}", end: "") }
    let values = shared.store.subscribe(selector: \.state.value) { say("Counter: \($0)") }
    for await line in typedLines() {
      if line == "?" { say("\(shared.status)") }
      for key in line where key == "+" || key == "-" {
        do throws(SharedStoreError) {
          try await shared.send(key == "+" ? CounterIntent.increment : .decrement)
        } catch {
          say("\(key): \(error)")
        }
      }
    }
    for subscription in [gauges, values] { subscription.cancel() }
    await shared.close()
  }
}

/// The lines of the standard input, read on a thread of their own because `readLine` blocks.
private func typedLines() -> AsyncStream<String> {
  let (lines, continuation) = AsyncStream.makeStream(of: String.self)
  Thread.detachNewThread {
    while let line = readLine() { continuation.yield(line) }
    continuation.finish()
  }
  return lines
}
