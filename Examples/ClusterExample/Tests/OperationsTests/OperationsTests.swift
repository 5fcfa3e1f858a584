import FlyingFox
import FlyingSocks
import Foundation
import FoundationNetworking
import Glue
import GlueCluster
import InMemoryLogging
import Logging
import MetricsTestKit
import Testing

@testable import ClusterExample

@Suite struct OperationsTests {
  private let connection = MemoryLog(clock: ContinuousClock()).connection()

  @Test func theHealthEndpointFollowsTheLinkAndTheLoggerGetsItsEvents() async throws {
    let handler = InMemoryLogHandler()
    let logger = Logger(label: "a") { _ in handler }
    connection.setCut(true)
    let shared = sharedLedger(on: connection, "a", deadline: .seconds(2), report: logger.report)
    let server = await shared.healthServer(port: 0)
    let running = Task { try await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
      return #expect(Bool(false), "it listens nowhere")
    }
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/health"))
    func answer() async throws -> (Int, String) {
      let (body, response) = try await URLSession.shared.data(from: url)
      return ((response as! HTTPURLResponse).statusCode, String(decoding: body, as: UTF8.self))
    }

    var (code, text) = try await answer()
    #expect(code == 503, "it follows nothing yet")
    connection.setCut(false)
    try await shared.sendSurely(.write("a"))
    (code, text) = try await answer()
    #expect(code == 200 && text.hasSuffix(", 0 behind, version 1\n"))
    connection.setCut(true)
    for await link in shared.store.values(of: \.link) where link != .live { break }
    (code, text) = try await answer()
    #expect(code == 503 && text.hasSuffix(", 0 behind, version 1\n"))
    connection.setCut(false)
    try await shared.sendSurely(.write("b"))
    (code, text) = try await answer()
    #expect(code == 200 && text.hasSuffix(", 0 behind, version 1\n"))
    #expect(!shared.status.isHealthy(lag: -1))

    var full = MemoryLog.Faults()
    full.refusals = 1
    connection.setFaults(full)
    await #expect(throws: SharedStoreError.notSent("refused")) {
      try await shared.send(LedgerIntent.write("c"))
    }
    (code, _) = try await answer()
    #expect(code == 503, "it follows the log, and can't append")
    connection.setFaults(.init())
    for await failure in shared.store.values(of: \.status.appendFailure) where failure == nil {
      break
    }
    (code, _) = try await answer()
    #expect(code == 200)

    running.cancel()
    _ = await running.result
    await shared.close()
    let logged = handler.entries.suffix(4).map { ($0.level, "\($0.message)") }
    #expect(logged.map(\.0) == [.warning, .info, .error, .info])
    #expect(
      logged.map(\.1) == [
        "The log is out of reach: cut off", "The log is followed again.",
        "The log takes no entries: refused", "The log takes entries again.",
      ])
  }

  @Test func gaugesShowTheStatus() async throws {
    let metrics = TestMetrics()
    let shared = sharedLedger(on: connection, "a")
    let subscription = shared.measure(as: "a", by: metrics)
    shared.own(Mail.self) { mail, _ in [LedgerIntent.mailed(mail.text)] }
    try await shared.send(LedgerIntent.order("book"))
    for await status in shared.store.values(of: \.status) where status.owed == 0 { break }
    let status = shared.status
    func value(of name: String) throws -> Double? {
      try metrics.expectGauge("glue_\(name)", [("replica", "a")]).lastValue
    }
    #expect(try value(of: "position") == Double(status.position))
    #expect(try value(of: "lag") == 0 && value(of: "version") == 1 && value(of: "is_owner") == 1)
    subscription.cancel()
    await shared.close()
  }
}
