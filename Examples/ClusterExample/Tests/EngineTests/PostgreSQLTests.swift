import Foundation
import LocalServers
import PostgreSQLLog
import GlueCluster
import GlueClusterTesting
import Testing

@testable import ClusterExample

@Suite(.serialized, .disabled(if: isSet("WITHOUT_POSTGRESQL"), "WITHOUT_POSTGRESQL is set"))
struct PostgreSQLTests {
  @Test func keepsTheContract() async throws {
    let server = try PostgreSQLServer()
    defer { server.end() }
    try await checkContract { PostgreSQLLog(address: server.address, name: "contract") }
  }

  @Test func nothingIsLostWhileTheServerIsKilled() async throws {
    let database = try PostgreSQLServer()
    defer { database.end() }
    let server = database.server
    func make() -> PostgreSQLLog { PostgreSQLLog(address: database.address, name: "storm") }
    let storm = Storm(
      on: [make(), make(), make()], each: 100,
      steps: [
        (200, { server.kill(by: SIGQUIT) }), (200, { try server.start() }),
        (800, { server.kill(by: SIGQUIT) }), (800, { try server.start() }),
      ])
    let told = try await storm.rage()
    try await storm.check(told, withNew: sharedLedger(on: make(), "new"))
  }
}
