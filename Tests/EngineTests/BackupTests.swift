#if PostgreSQL
  import Glue
  import GlueCluster
  import LocalServers
  import GluePostgreSQL
  import Testing

  @testable import LedgerProgram

  /// The recipes of the README: backup, restore, and taking a replica out for good.
  extension PostgreSQLTests {
    @Test func replicasBeginAnewWithABackupThatWasRestored() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let (lost, events) = AsyncStream.makeStream(of: [LogPosition].self)
      func replica(_ label: String) throws -> SharedStore<Ledger, Void> {
        sharedLedger(on: try PostgreSQL(server.address).log("ledger"), label, snapshotEvery: 5) {
          if case .logWentBack(_, _, let acknowledged) = $0 { events.yield(acknowledged) }
        }
      }
      let first = try replica("first")
      var second = try Optional(replica("second"))
      for line in 0..<7 { try await first.sendSurely(.write("\(line)")) }
      let file = try server.backUp()
      var acknowledged: [LogPosition] = []
      for line in 7..<10 {
        acknowledged.append(try await first.send(LedgerIntent.write("\(line)")))
      }
      try await second?.catchUp()
      try server.restore(file)

      var iterator = lost.makeAsyncIterator()
      let reports = [await iterator.next() ?? [], await iterator.next() ?? []]
      #expect(Set(reports) == [acknowledged, []], "what each had acknowledged")
      try await second?.send(LedgerIntent.write("after"))
      let new = try replica("new")
      for replica in [first, second, new].compactMap(\.self) {
        try await replica.catchUp()
        #expect(replica.store.state.state.lines == (0..<7).map { "\($0)" } + ["after"])
      }

      // The second replica's machine is gone, so it closes nothing.
      second = nil
      try await first.remove(replica: "second")
      try await new.catchUp()
      #expect(Set(new.status.replicas.keys) == ["first", "new"])
      await first.close()
      await new.close()
    }
  }
#endif
