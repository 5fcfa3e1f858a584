#if PostgreSQL
  import Foundation
  import Glue
  import GlueCluster
  import LocalServers
  import Testing

  @testable import LedgerProgram
  @testable import GluePostgreSQL

  /// PostgreSQL's log where a link is slow, a server silent, or a lock held.
  extension PostgreSQLTests {
    @Test func aPageHasAMebibyteOrOneEntry() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let log = try await readyLog(on: server)
      let sizes = [400_000, 400_000, 400_000, 10, 2_000_000, 10]
      for size in sizes {
        _ = try await log.append(.init(repeating: 7, count: size), in: nil, within: limit)
      }
      var counts: [Int] = []
      while counts.reduce(0, +) < sizes.count + 1 {
        let page = try await log.read(from: counts.reduce(1, +), within: limit)
        counts.append(page.entries.count)
      }
      #expect(counts == [3, 2, 1, 1])
    }

    @Test func rowsThatHaveComeAreKeptAndTheRestIsCanceledOnTheServer() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      _ = try await readyLog(on: server)
      let connection = try Connection(to: server.address, until: .now + .seconds(5))
      let rows = try connection.query(
        """
        SELECT repeat('x', 100000), pg_advisory_xact_lock(1), pg_sleep(CASE i WHEN 4 THEN 600 ELSE 0 END)
        FROM generate_series(1, 4) i
        """, reads: true
      ).rows
      // The server may not have sent all of the third.
      #expect([2, 3].contains(rows.count) && connection.isLost)
      // This waits until the statement, which holds the lock, has ended.
      _ = try Connection(to: server.address, until: .now + limit).query(
        "SELECT pg_advisory_xact_lock(1)")
    }

    @Test func aSnapshotIsKeptInSlicesWithTheOneBefore() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let log = try await readyLog(on: server, entries: 9)
      let connection = try Connection(to: server.address, until: .now + .seconds(600))
      func slices() throws -> [String] {
        try connection.query(
          """
          SELECT position || ':' || string_agg(octet_length(bytes)::text, ' ' ORDER BY number)
          FROM glue_slices WHERE name = 'log' GROUP BY position ORDER BY position
          """
        ).rows.map { $0[0]?.text ?? "" }
      }
      // A writer was killed here.
      _ = try connection.query("INSERT INTO glue_slices VALUES ('log', 1, 'killed', 0, 'abc')")
      let large = LogSnapshot(position: 3, bytes: (0..<600_000).map { UInt8($0 % 251) })
      let sizes = "262144 262144 75712"
      try await log.keep(large, trimmingBelow: 0, in: nil)
      #expect(try await log.snapshot() == large)
      #expect(try slices() == ["3:" + sizes])
      for position in [5, 7] {
        let next = LogSnapshot(position: position, bytes: [7])
        try await log.keep(next, trimmingBelow: 0, in: nil)
        #expect(try await log.snapshot() == next)
        #expect(
          try slices() == (position == 5 ? ["3:" + sizes, "5:1"] : ["5:1", "7:1"]))
      }
      try await log.keep(large, trimmingBelow: 0, in: nil)
      #expect(try slices() == ["5:1", "7:1"], "an older one isn't even sent")
    }

    @Test func aSnapshotIsNotKeptInALogThatWasMadeAnewMeanwhile() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let log = try await readyLog(on: server, entries: 9)
      let connection = try Connection(to: server.address, until: .now + .seconds(600))
      for statement in [
        """
        CREATE FUNCTION remake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          DELETE FROM glue_logs WHERE name = 'log';
          INSERT INTO glue_logs (name, last) VALUES ('log', 9);
          RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER remaking AFTER INSERT ON glue_slices
        FOR EACH ROW EXECUTE FUNCTION remake()
        """,
      ] { _ = try connection.query(statement) }
      await #expect(throws: LogError.refused("PostgreSQL: The log was deleted or restored.")) {
        try await log.keep(LogSnapshot(position: 5, bytes: [7]), trimmingBelow: 5, in: nil)
      }
      #expect(try await log.snapshot() == nil)
      #expect(try await log.read(from: 1, within: .zero).entries.count == 9, "nothing was dropped")
      let left = try connection.query("SELECT count(*) FROM glue_slices").rows
      #expect(left[0][0]?.integer == 0)
    }

    @Test func everyCallEndsInTimeWhileTheServerIsFrozen() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let database = try PostgreSQL(server.address)
      _ = try await readyLog(on: server)
      let logs = (0..<20).map { database.log("log\($0)") }
      for log in logs { _ = try await log.append([1], in: nil, within: limit) }
      server.server.freeze()
      let longest = await withTaskGroup { group in
        for log in logs {
          group.addTask {
            var longest = Duration.zero
            for _ in 0..<3 {
              let start = ContinuousClock.now
              await #expect(throws: LogError.self) {
                try await log.append([2], in: nil, within: .seconds(1))
              }
              longest = max(longest, .now - start)
            }
            return longest
          }
        }
        return await group.reduce(.zero, max)
      }
      // Of one after the other, the last would take 20 s.
      #expect(longest < .seconds(10))
      server.server.thaw()
      for log in logs { _ = try await log.append([3], in: nil, within: limit) }
    }

    @Test func aHeldLockRefusesAppendsAndLeavesNoSessions() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let log = try await readyLog(on: server)
      let holder = try Connection(to: server.address, until: .now + .seconds(600))
      _ = try holder.query("BEGIN")
      _ = try holder.query("SELECT * FROM glue_logs FOR UPDATE")
      for _ in 0..<3 {
        await #expect {
          try await log.append([2], in: nil, within: limit)
        } throws: { error in
          if case .refused = error as? LogError { true } else { false }
        }
      }
      let sessions = try holder.query(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
      ).rows[0][0]
      #expect(sessions?.integer == 4, "three, and the one that counts")
      _ = try holder.query("ROLLBACK")
      #expect(try await log.append([2], in: nil, within: limit) == 2)
    }

    @Test func asynchronousCommitsAreRaisedAndSaid() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      _ = try await readyLog(on: server)
      let (warnings, continuation) = AsyncStream.makeStream(of: String.self)
      let address = server.address + "&options=-csynchronous_commit%3Doff"
      let log = try PostgreSQL(address) { continuation.yield($0) }.log("log")
      _ = try await log.append([2], in: nil, within: limit)
      var iterator = warnings.makeAsyncIterator()
      #expect(await iterator.next()?.contains("synchronous_commit is off") == true)
      let setting = try await log.database.appending.run(for: "log", until: .now + limit) {
        connection throws(LogError) in try connection.query("SHOW synchronous_commit").rows[0][0]
      }
      #expect(setting?.text == "on")
    }

    @Test func anAppendOfASessionBeforeARestartIsRefused() async throws {
      let server = try PostgreSQLServer()
      defer { server.end() }
      let log = try await readyLog(on: server)
      let before = try await log.read(from: 1, within: limit).session
      #expect(try await log.append([2], in: before, within: limit) == 2)
      server.server.kill(by: SIGQUIT)
      try server.server.start()
      _ = try await readyLog(on: server)
      // The first finds its connection gone.
      _ = try? await log.append([3], in: before, within: limit)
      await #expect {
        try await log.append([3], in: before, within: limit)
      } throws: { error in
        if case .refused = error as? LogError { true } else { false }
      }
      let page = try await log.read(from: 3, within: limit)
      #expect(page.session != before && page.end == 2)
    }

    @Test func anAddressThatIsNoneIsNotShown() {
      for address in ["postgresql://a:secret@[::1/b", "host=a password=x secret"] {
        #expect {
          try PostgreSQL(address)
        } throws: { error in
          !"\(error)".contains("secret")
        }
      }
    }

    /// A log with entries, once the server answers.
    private func readyLog(
      on server: PostgreSQLServer, entries: Int = 1
    ) async throws -> PostgreSQLLog {
      let database = try PostgreSQL(server.address)
      let ready = sharedLedger(on: database.log("ready"), "a")
      try await ready.sendSurely(.write("a"))
      await ready.close()
      let log = database.log("log")
      let end = try await log.read(from: 1, within: .zero).end
      for _ in end..<max(end, entries) { _ = try await log.append([1], in: nil, within: limit) }
      return log
    }
  }

  private let limit = Duration.seconds(30)
#endif
