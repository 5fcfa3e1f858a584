import ArgumentParser
import Foundation
import Glue
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

@testable import ServerExample

/// The cost that the store adds to a request, beside a handler that keeps the same list in a mutex.
///
/// The figures are of one run, in alternating rounds, so other load affects all alike.
@Suite(.serialized) struct CostTests {
  @Test func aStoreDoesNotMakeARequestThreeTimesAsExpensive() async throws {
    let environment = ProcessInfo.processInfo.environment.compactMapValues(Int.init)
    let (requests, rounds) = (environment["REQUESTS"] ?? 320, environment["ROUNDS"] ?? 7)
    let directory = try await journal(of: longList(10))
    let kept = try Dependencies(journal: directory.path, logger: silent)
    let unkept = try Dependencies(logger: silent)
    await unkept.store.perform(TodoIntent.add(id: "1", title: "one"))
    let command = try AppCommand.parse(["--port", "0"])
    let results = try await withPort {
      bareServer(command, onServerRunning: $0)
    } use: { bare in
      try await withPort {
        command.buildApplication(unkept, silent, onServerRunning: $0)
      } use: { store in
        try await withPort {
          command.buildApplication(kept, silent, onServerRunning: $0)
        } use: { journal in
          var results = Array(repeating: [Round](), count: 3)
          for _ in 1...rounds {
            for (index, port) in [bare, store, journal].enumerated() {
              results[index].append(await Round(of: requests, to: port))
            }
          }
          return results
        }
      }
    }
    await unkept.store.shutdown()
    await kept.store.shutdown()
    let ratios = results.map { rounds in
      zip(rounds, results[0]).map { $0.time / $1.time }.sorted()[rounds.count / 2]
    }
    for (index, name) in ["a handler without a store", "a store", "and a journal"].enumerated() {
      let ratio = ratios[index].formatted(.number.precision(.fractionLength(2)))
      print("\(name): \(ratio) times as long; at best \(try #require(results[index].min()))")
    }
    #expect(ratios[1] < 3)
  }
}

private typealias OnServerRunning = @Sendable (any Channel) async -> Void

/// Runs a server, and gives the port that the system chose for it.
private func withPort<Value: Sendable>(
  of build: (@escaping OnServerRunning) -> some ApplicationProtocol,
  use: (UInt16) async throws -> Value
) async throws -> Value {
  let (ports, port) = AsyncStream.makeStream(of: UInt16.self)
  let server = build { port.yield(UInt16($0.localAddress?.port ?? 0)) }
  let group = ServiceGroup(services: [server], logger: silent)
  async let running: Void = {
    defer { port.finish() }
    try await group.run()
  }()
  let value = try await use(try #require(await ports.first { _ in true }))
  await group.triggerGracefulShutdown()
  try await running
  return value
}

private func bareServer(
  _ command: AppCommand, onServerRunning: @escaping OnServerRunning
) -> some ApplicationProtocol {
  Application(
    router: bareRouter(),
    server: .http1(
      configuration: .init(additionalChannelHandlers: [
        ClientDeadlines(command.limits, endWithin: command.endWithin, logger: silent)
      ])),
    configuration: .init(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: onServerRunning, logger: silent)
}

/// The route that changes a to-do, without a store.
private func bareRouter() -> Router<AppContext> {
  let router = Router(context: AppContext.self)
  router.add(middleware: MetricsMiddleware())
  router.add(middleware: SecurityHeadersMiddleware())
  router.add(middleware: HostMiddleware(hosts: ["localhost"]))
  router.add(middleware: CSRFMiddleware())
  let list = Mutex(longList(10))
  router.patch("/todos/:id") { request, context in
    let id = try context.parameters.require("id")
    let change = try await TodoRequest(from: request, context: context)
    return try list.withLock { list in
      guard let index = list.todos.firstIndex(where: { $0.id == id }) else {
        throw HTTPError(.notFound)
      }
      if let title = change.title { list.todos[index].title = title }
      return list.todos[index]
    }
  }
  return router
}

/// Requests of 16 clients at once, each on a connection of its own.
private struct Round: Comparable, CustomStringConvertible {
  let time: Duration
  private let latencies: [Duration]
  private let count: Int

  private init(time: Duration, latencies: [Duration], count: Int) {
    (self.time, self.latencies, self.count) = (time, latencies, count)
  }

  init(of count: Int, to port: UInt16) async {
    self = await withCheckedContinuation { done in
      Thread.detachNewThread {
        let all = Mutex<[Duration]>([])
        let group = DispatchGroup()
        let time = ContinuousClock().measure {
          for _ in 1...16 {
            group.enter()
            Thread.detachNewThread {
              let latencies = Self.latencies(of: count / 16, to: port)
              all.withLock { $0 += latencies }
              group.leave()
            }
          }
          group.wait()
        }
        done.resume(
          returning: Round(time: time, latencies: all.withLock { $0.sorted() }, count: count))
      }
    }
  }

  private static func latencies(of count: Int, to port: UInt16) -> [Duration] {
    guard let client = try? Client(port) else { return [] }
    return (0..<count).map { number in
      ContinuousClock().measure {
        client.request("/todos/1", "PATCH", body: titled("\(number)"))
        #expect((try? client.answer())?.status == 200)
      }
    }
  }

  private func milliseconds(_ percentile: Int) -> String {
    (latencies[latencies.count * percentile / 100] / .milliseconds(1))
      .formatted(.number.precision(.fractionLength(1)))
  }

  static func < (a: Round, b: Round) -> Bool { a.time < b.time }
  static func == (a: Round, b: Round) -> Bool { a.time == b.time }

  var description: String {
    "\(Int(Double(count) / (time / .seconds(1)))) requests a second, "
      + "p50 \(milliseconds(50)) ms, p99 \(milliseconds(99)) ms"
  }
}
