import ArgumentParser
import Foundation
import Glue
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing

@testable import ServerExample

/// What the store adds to a request, beside a handler that keeps the same list in a mutex.
///
/// The figures are of one run, in rounds that alternate, so what else the machine does is alike for all.
@Suite(.serialized) struct CostTests {
  @Test func aStoreDoesNotMakeARequestThreeTimesAsExpensive() async throws {
    let requests = ProcessInfo.processInfo.environment["REQUESTS"].flatMap(Int.init) ?? 320
    let directory = try await journal(of: longList(10))
    let kept = try Dependencies(journal: directory.path, logger: silent)
    let unkept = try Dependencies(logger: silent)
    await unkept.store.perform(TodoIntent.add(id: "1", title: "one"))
    let command = try AppCommand.parse([])
    let results = try await Application(router: bareRouter(), logger: silent).test(.live) { bare in
      try await command.buildApplication(unkept, silent).test(.live) { store in
        try await command.buildApplication(kept, silent).test(.live) { journal in
          let ports = try [bare, store, journal].map { UInt16(try #require($0.port)) }
          var best = ports.map { _ in Round.worst }
          for _ in 1...7 {
            for (index, port) in ports.enumerated() {
              best[index] = min(best[index], await Round(of: requests, to: port))
            }
          }
          return best
        }
      }
    }
    await unkept.store.shutdown()
    await kept.store.shutdown()
    for (name, round) in zip(["a handler without a store", "a store", "and a journal"], results) {
      print("\(name): \(round)")
    }
    #expect(results[1].time < results[0].time * 3)
  }
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
  static let worst = Round(time: .seconds(1_000_000), latencies: [.zero], count: 0)

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

  static func < (a: Round, b: Round) -> Bool { a.time < b.time }
  static func == (a: Round, b: Round) -> Bool { a.time == b.time }

  var description: String {
    "\(Int(Double(count) / (time / .seconds(1)))) requests a second, "
      + "p50 \(latencies[latencies.count / 2]), p99 \(latencies[latencies.count * 99 / 100])"
  }
}
