#if NATS
  import Glue
  import LocalServers
  @testable import GlueNATS
  import GlueCluster
  import Foundation
  import Testing

  @testable import LedgerProgram

  @Suite(.serialized, .disabled(if: isSet("WITHOUT_NATS"), "WITHOUT_NATS is set"))
  struct NATSTests {
    @Test func threeServersOfNATSKeepTheContract() async throws {
      let servers = try NATSServers()
      defer { servers.end() }
      try await NATS(servers.urls).log("contract", copies: 3).make()
      try await checkContract { try NATS(servers.urls).log("contract", copies: 3) }
    }

    @Test func whereNoServerIsThereNothingBlocksAndNothingIsSent() async throws {
      let log = try NATS(
        ["nats://127.0.0.1:\(Server.freePorts(1)[0])"]).log("nobody", copies: 3)
      let shared = sharedLedger(on: log, "a", deadline: .seconds(1))
      await #expect { try await shared.send(LedgerIntent.write("a")) } throws: { error in
        if case .notSent = error as? SharedStoreError { true } else { false }
      }
      #expect(shared.store.state.state == Ledger())
      await shared.close()
    }

    @Test func aConnectionThatWasClosedIsMadeAnewAndSaysWhyBefore() async throws {
      let servers = try NATSServers(1, password: "right")
      defer { servers.end() }
      let url = servers.urls[0].replacingOccurrences(of: "//", with: "//glue:wrong@")
      let shared = sharedLedger(
        on: try NATS([url]).log("ledger", copies: 1), "a", deadline: .seconds(3))
      // The server may still be on its way up.
      var reason = ""
      for _ in 0..<20 where !reason.lowercased().contains("authorization") {
        do { try await shared.send(LedgerIntent.write("a")) } catch { reason = "\(error)" }
      }
      #expect(reason.lowercased().contains("authorization"))
      servers.servers[0].kill()
      try servers.servers[0].start(with: ["--pass", "wrong"])
      try await shared.sendSurely(.write("b"))
      #expect(shared.store.state.state.lines == ["b"])
      await shared.close()
    }

    @Test func aLogWithAnotherNumberOfCopiesIsRefusedAndBothAreNamed() async throws {
      let servers = try NATSServers()
      defer { servers.end() }
      // One address says nothing of how many servers there are.
      try await NATS([servers.urls[0]]).log("one", copies: 1).make()
      let nats = try NATS(servers.urls)
      try await nats.log("three", copies: 3).make()
      for (name, found, asked) in [("one", 1, 3), ("three", 3, 1)] {
        let log = nats.log(name, copies: asked)
        let error = LogError.refused(
          "NATS: copies of the log \"\(name)\": \(found) found, \(asked) asked for.")
        await #expect(throws: error) { try await log.make() }
        await #expect(throws: error) { try await log.append([1], in: nil, within: .seconds(5)) }
      }
    }

    /// The first message is on its way when the consumer has just been made, and no time to wait.
    @Test func aReaderThatWaitsForALittleDoesNotTakeItsServerForLost() async throws {
      let servers = try NATSServers(1)
      defer { servers.end() }
      let nats = try NATS(servers.urls)
      let shared = sharedLedger(on: nats.log("busy", copies: 1), "a")
      try await shared.sendSurely(.write("a"))
      await shared.close()
      for _ in 0..<100 {
        let page = try await nats.log("busy", copies: 1).read(from: 1, within: .zero)
        #expect(page.entries.first?.position == 1)
      }
    }

    /// libnats 3.4.1 uses a subscription after it was destroyed, if a message for it is on its way.
    @Test func readersThatAreCanceledUnderLoadLeaveTheClientIntact() async throws {
      let servers = try NATSServers(1)
      defer { servers.end() }
      let nats = try NATS(servers.urls)
      let log = nats.log("busy", copies: 1)
      let shared = sharedLedger(on: log, "a")
      try await shared.sendSurely(.write("a"))
      await shared.close()
      await withTaskGroup { group in
        group.addTask {
          while !Task.isCancelled { _ = try? await log.append([7], in: nil, within: .seconds(5)) }
        }
        await withTaskGroup { readers in
          for _ in 0..<4 {
            readers.addTask {
              let reader = nats.log("busy", copies: 1)
              for round in 0..<150 {
                let reading = Task {
                  try await reader.read(from: 1 + round % 2, within: .seconds(1))
                }
                if round % 3 == 0 { reading.cancel() }
                _ = await reading.result
              }
            }
          }
        }
        group.cancelAll()
      }
    }

    @Test func chunksOfAWriterThatWasKilledAreGoneWithTheNextSnapshot() async throws {
      let servers = try NATSServers(1)
      defer { servers.end() }
      let log = try NATS(servers.urls).log("chunks", copies: 1)
      let shared = sharedLedger(on: log, "a")
      try await shared.sendSurely(.write("a"))
      await shared.close()
      let bucket = try log.bucket(log.nats.connection(until: .request))
      _ = try NATSLog.putChunks(of: LogSnapshot(position: 5, bytes: [1, 2]), in: bucket)
      #expect(try NATSLog.positions(in: bucket) == [5])
      try await log.keep(LogSnapshot(position: 7, bytes: [3]), trimmingBelow: 0, in: nil)
      #expect(try NATSLog.positions(in: bucket) == [7])
      try await log.keep(LogSnapshot(position: 8, bytes: [5]), trimmingBelow: 0, in: nil)
      #expect(
        try NATSLog.positions(in: bucket) == [7, 8], "a replica may still read the one before")
      // The log has lost the entry at 8.
      let last = try #require(try await log.read(from: 1, within: .seconds(1)).entries.last)
      try await log.keep(
        LogSnapshot(position: last.position, bytes: [4]), trimmingBelow: 0, in: nil)
      #expect(try await log.snapshot()?.bytes == [4])
      #expect(try NATSLog.positions(in: bucket) == [7, last.position], "7 goes with a later one")
    }

    /// As `nats pub glue.stray hello` does.
    @Test func aStrayMessageIsSkipped() async throws {
      let servers = try NATSServers(1)
      defer { servers.end() }
      let log = try NATS(servers.urls).log("stray", copies: 1)
      let replicas = [
        sharedLedger(on: log, "a"),
        sharedLedger(on: try NATS(servers.urls).log("stray", copies: 1), "b"),
      ]
      for replica in replicas { try await replica.sendSurely(.write("a")) }
      _ = try await log.append(Array("hello".utf8), in: nil, within: .seconds(5))
      for replica in replicas { try await replica.sendSurely(.write("b")) }
      for replica in replicas {
        try await replica.catchUp()
        #expect(replica.store.state.state.lines == ["a", "a", "b", "b"])
        await replica.close()
      }
    }

    @Test(arguments: ["my log", "a.b", "", String(repeating: "a", count: 201)])
    func whatCannotBeAStreamsNameIsNotToBeUsed(name: String) {
      #expect(!NATSLog.canBeNamed(name))
    }

    @Test func threeReplicasAreUpgradedUnderLoad() async throws {
      let servers = try NATSServers(1)
      defer { servers.end() }
      let urls = servers.urls
      try await upgradeUnderLoad { try NATS(urls).log("upgraded", copies: 1) }
    }

    @Test func noMailIsSentTwiceWhileReplicasAreRestarted() async throws {
      let servers = try NATSServers(1)
      defer { servers.end() }
      let urls = servers.urls
      try await restartInTurns { try NATS(urls).log("restarted", copies: 1) }
    }

    @Test func whatIsNoAddressIsRefusedAtOnce() {
      #expect {
        try NATS(["a:secret@b"])
      } throws: { error in
        !"\(error)".contains("secret")
      }
    }

    @Test(arguments: leases)
    func nothingIsLostWhileReplicasAreKilledAndFrozen(lease: Duration) async throws {
      try await storm(nil, lease)
    }

    enum Harm: CaseIterable { case frozen, killed }

    // Debian's servers, of version 2.9, lose entries when one of them is killed or frozen, and show
    // other entries at one position. So `.ci/long` tries this with a later version.
    @Test(
      .enabled(if: isSet("GLUE_STORMS"), "they are tried where GLUE_STORMS is set"),
      arguments: Harm.allCases, leases)
    func nothingIsLostWhileReplicasAndServersAreHarmed(
      harm: Harm, lease: Duration
    ) async throws {
      try await storm(harm, lease)
    }

    // Harms replicas, and servers too if `harm` isn't nil.
    private func storm(_ harm: Harm?, _ lease: Duration) async throws {
      let cluster = try NATSServers()
      defer { cluster.end() }
      let make = { try NATS(cluster.urls).log("storm", copies: 3) }
      try await make().make()
      let killed = try Self.ledger(on: cluster, lease, label: "killed")
      let frozen = try Self.ledger(on: cluster, lease, label: "frozen")
      // A slow machine takes its time to start them.
      let observer = sharedLedger(on: try make(), "other")
      for await count in observer.store.values(of: {
        Set($0.state.lines).intersection(["killed.1", "frozen.1"]).count
      }) where count == 2 { break }
      await observer.close()
      let servers = cluster.servers
      @Sendable func harmServer(_ number: Int) {
        switch harm {
        case .frozen: servers[number].freeze()
        case .killed: servers[number].kill()
        case nil: break
        }
      }
      @Sendable func mendServer(_ number: Int) throws {
        switch harm {
        case .frozen: servers[number].thaw()
        case .killed: try servers[number].start()
        case nil: break
        }
      }
      let storm = Storm(
        on: [try make(), try make(), try make()], each: 250, lease: lease,
        // Three servers survive the loss of one, so the next is harmed when that one is back.
        steps: [
          (300, { harmServer(0) }), (500, { killed.server.kill() }),
          (700, { try mendServer(0) }), (900, { frozen.server.freeze() }),
          (1_200, { try await cluster.settle() }), (1_200, { harmServer(1) }),
          (1_500, { try mendServer(1) }), (1_700, { frozen.server.thaw() }),
          (2_000, { try await cluster.settle() }), (2_000, { harmServer(2) }),
          (2_300, { try mendServer(2) }), (2_600, { try await cluster.settle() }),
          (2_600, { harmServer(0) }), (2_800, { try mendServer(0) }),
        ])
      let told = try await storm.rage()
      frozen.server.kill()
      try await cluster.settle()
      let others = try killed.acknowledged() + frozen.acknowledged()
      #expect(others.contains("killed.0"), "the process that was killed wrote nothing before")
      let new = sharedLedger(on: try make(), "other")
      try await storm.check(told, others: others, withNew: new)
    }

    private static func ledger(
      on cluster: NATSServers, _ lease: Duration, label: String
    ) throws -> LedgerProcess {
      try LedgerProcess(label, in: "storm", at: cluster.urls, lease: lease)
    }
  }
#endif
