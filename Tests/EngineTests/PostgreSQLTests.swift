#if PostgreSQL
  import CGluePostgreSQL
  import Foundation
  import Glue
  import GlueCluster
  import LocalServers
  import Testing

  @testable import LedgerProgram
  @testable import GluePostgreSQL

  @Suite(.serialized, .disabled(if: isSet("WITHOUT_POSTGRESQL"), "WITHOUT_POSTGRESQL is set"))
  struct PostgreSQLTests {
    @Test func keepsTheContract() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      try await checkContract { try PostgreSQL(server.address).log("contract") }
      // Logs that share their sessions keep it too.
      let database = try PostgreSQL(server.address)
      async let one: Void = checkContract { database.log("Shared1") }
      async let other: Void = checkContract { database.log("shared2") }
      _ = try await (one, other)
    }

    @Test(arguments: ["my log", "a.b", "a-b", "", String(repeating: "a", count: 59)])
    func whatCannotBeALogsNameIsNotToBeUsed(name: String) {
      #expect(!PostgreSQLLog.canBeNamed(name))
    }

    /// PostgreSQL's names of channels are shorter than 64 bytes.
    @Test func theLongestNameWorks() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let name = String(repeating: "a", count: 58)
      let shared = sharedLedger(on: try PostgreSQL(server.address).log(name), "a")
      try await shared.sendSurely(.write("a"))
      #expect(shared.store.state.state.lines == ["a"])
      await shared.close()
    }

    @Test(arguments: leases)
    func nothingIsLostWhileTheServerIsKilled(lease: Duration) async throws {
      let database = try PostgreSQLServer()
      defer { database.end() }
      let server = database.server
      func make() throws -> PostgreSQLLog { try PostgreSQL(database.address).log("storm") }
      let storm = Storm(
        on: [try make(), try make(), try make()], each: 100, lease: lease,
        steps: [
          (200, { server.kill(by: SIGQUIT) }), (200, { try server.start() }),
          (800, { server.kill(by: SIGQUIT) }), (800, { try server.start() }),
        ])
      let told = try await storm.rage()
      try await storm.check(told, withNew: sharedLedger(on: try make(), "new"))
    }

    @Test func aProcessThatFreezesInItsSetUpHoldsUpNoOther() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let first = sharedLedger(on: try PostgreSQL(server.address).log("ledger"), "first")
      try await first.sendSurely(.write("a"))
      let frozen = PQconnectdb(server.address)
      defer { PQfinish(frozen) }
      for statement in ["BEGIN", "SELECT pg_advisory_xact_lock(78141)"] {
        PQclear(PQexec(frozen, statement))
      }
      let second = sharedLedger(on: try PostgreSQL(server.address).log("ledger"), "second")
      try await second.send(LedgerIntent.write("b"))
      #expect(second.store.state.state.lines == ["a", "b"])
      await first.close()
      await second.close()
    }

    @Test func anEntryThatTwoSessionsAppendAtOnceIsThereOnce() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let ready = sharedLedger(on: try PostgreSQL(server.address).log("ready"), "a")
      try await ready.sendSurely(.write("a"))
      await ready.close()
      let logs = try (0..<2).map { _ in try PostgreSQL(server.address).log("ledger") }
      for number in 1...50 {
        let entry = Array(#"{"sender":"a","number":\#(number)}"#.utf8)
        async let one = logs[0].append(entry, in: nil, within: .seconds(10))
        async let other = logs[1].append(entry, in: nil, within: .seconds(10))
        let positions = try await [one, other]
        #expect(positions == [number, number])
      }
      #expect(try await logs[0].append([7], in: nil, within: .seconds(10)) == 51)
      #expect(
        try await logs[1].append([7], in: nil, within: .seconds(10)) == 52, "no sender, no number")
    }

    @Test func manyLogsShareThreeSessions() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let database = try PostgreSQL(server.address)
      let ledgers = (0..<16).map { sharedLedger(on: database.log("ledger\($0)"), "a") }
      for (number, ledger) in ledgers.enumerated() {
        try await ledger.sendSurely(.write("\(number)"))
      }
      let other = PQconnectdb(server.address)
      defer { PQfinish(other) }
      let result = PQexec(
        other, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
      defer { PQclear(result) }
      #expect(String(cString: PQgetvalue(result, 0, 0)) == "4", "three, and the one that counts")
      for (number, ledger) in ledgers.enumerated() {
        #expect(ledger.store.state.state.lines == ["\(number)"])
        await ledger.close()
      }
    }

    @Test func threeReplicasAreUpgradedUnderLoad() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let address = server.address
      try await upgradeUnderLoad { try PostgreSQL(address).log("upgraded") }
    }

    @Test func noMailIsSentTwiceWhileReplicasAreRestarted() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let address = server.address
      try await restartInTurns { try PostgreSQL(address).log("restarted") }
    }

    @Test func whatIsNoAddressIsRefusedAtOnce() {
      #expect(throws: LogError.self) { try PostgreSQL("foo") }
    }

    @Test func aWrongPasswordSaysSo() async throws {
      let server = try PostgreSQLServer(password: "right")
      defer { server.end() }
      let right = sharedLedger(on: try PostgreSQL(server.address).log("ledger"), "right")
      try await right.sendSurely(.write("a"))
      await right.close()
      let address = server.address.replacingOccurrences(of: ":right@", with: ":wrong@")
      let log = try PostgreSQL(address).log("ledger")
      await #expect {
        try await log.append([1], in: nil, within: .seconds(5))
      } throws: { error in
        "\(error)".contains("password authentication failed")
      }
    }
  }
#endif
