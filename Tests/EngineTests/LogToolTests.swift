import Foundation
import GlueCluster
import GlueNATS
import GluePostgreSQL
import LocalServers
import ProcessSupport
import Testing

@testable import LedgerProgram

/// The program GlueLogTool, with the servers of the engine whose suite runs it.
struct LogTool {
  /// Where the servers are, and what the log is called.
  let servers: String
  let log = "tool"

  func run(_ arguments: String...) throws -> PipedProgram.Result {
    try PipedProgram(builtProgram("GlueLogTool"), [servers, log] + arguments).finish()
  }

  /// Describes the log of a replica that has ended and of one that has not, and takes that one out.
  func describeAndRemove(_ make: () throws -> any Log) async throws {
    let (ended, lost) = (
      sharedLedger(on: try make(), "ended"), sharedLedger(on: try make(), "lost")
    )
    try await ended.sendSurely(.write("private"))
    try await lost.sendSurely(.write("b"))
    await ended.close()

    let description = try run()
    #expect(description.ending == .exit(0) && description.errors == "")
    let lines = description.output.split(separator: "\n")
    #expect(lines.prefix(3).map { $0.prefix(10) } == ["entries 1 ", "no snapsho", "version 1"])
    #expect(lines.contains("owner: none") && !description.output.contains("private"))
    #expect(lines.contains { $0.hasPrefix("replica ended: ") && $0.hasSuffix("1, has ended") })
    #expect(lines.contains { $0.hasPrefix("replica lost: ") && $0.hasSuffix("knows version 1") })

    let entries = try run("--entries").output.split(separator: "\n")
    let objects = try entries.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
    #expect(
      objects.compactMap { ($0 as? [String: Any])?["position"] as? Int } == Array(1...entries.count)
    )
    #expect(entries.contains { $0.contains("private") })

    #expect(try run("--remove", "lost").ending == .exit(0))
    let after = try run().output.split(separator: "\n").filter { $0.hasPrefix("replica lost: ") }
    #expect(!after.isEmpty && after.allSatisfy { $0.hasSuffix("has ended") })
    #expect(try run("--remove", "lost").ending == .exit(1))
    #expect(try run("--frobnicate").ending == .exit(64))
    await lost.close()
  }
}

#if NATS
  extension NATSTests {
    @Test func itsLogIsDescribedByTheTool() async throws {
      let servers = try NATSServers(1)
      defer { servers.end() }
      let tool = LogTool(servers: servers.urls[0])
      try await tool.describeAndRemove { try NATS(servers.urls).log(tool.log, copies: 1) }
    }
  }
#endif

#if PostgreSQL
  extension PostgreSQLTests {
    @Test func itsLogIsDescribedByTheTool() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let tool = LogTool(servers: server.address)
      try await tool.describeAndRemove { try PostgreSQL(server.address).log(tool.log) }
    }

    @Test func theToolSaysWhyItCannotReadALog() throws {
      let port = Server.freePorts(1)[0]
      let nobody = try LogTool(servers: "postgresql://glue@127.0.0.1:\(port)/postgres").run()
      #expect(nobody.ending == .exit(69) && nobody.errors.contains("refused"))
      #expect(try LogTool(servers: "hello").run().ending == .exit(69))
    }
  }
#endif
