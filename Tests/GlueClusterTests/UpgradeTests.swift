import Glue
import GlueClusterTesting
import GlueJournal
import Synchronization
import Testing

@testable import GlueCluster

/// Three replicas that restart under load.
private final class Rolling: Sendable {
  let told = Noted<String>()
  let isOver = Atomic(false)
  private let log: MemoryLog
  private let seed: UInt64
  private let replicas = Locked<[Int: SharedStore<Lines, [String]>]>([:])
  private let starts = Atomic<UInt64>(0)

  init(log: MemoryLog, seed: UInt64) { (self.log, self.seed) = (log, seed) }

  subscript(number: Int) -> SharedStore<Lines, [String]> { replicas.withLock { $0[number]! } }

  func start(_ number: Int, _ versions: [SharedVersion<Lines>]) {
    let start = starts.add(1, ordering: .relaxed).newValue
    let connection = log.connection(faults: .many, seed: seed * 100 + start)
    let new = replica(of: connection, "\(number)", versions: versions, snapshotEvery: 40)
    replicas.withLock { $0[number] = new }
  }

  /// Sends one line after the other; a line in flight when its replica ends may be there.
  func load(_ number: Int) async {
    for line in 0... {
      let isLast = isOver.load(ordering: .relaxed)
      let text = "\(number).\(line)"
      if (try? await self[number].send(LineIntent.add(text))) != nil { told.add(text) }
      await Task.yield()
      if isLast { return }
    }
  }
}

/// U1 to U9: replicas move on to a version together, without a stop.
@Suite struct UpgradeTests {
  let log = MemoryLog()

  @Test(arguments: UInt64(1)...10)
  func threeReplicasAreUpgradedOneByOneUnderLoad(seed: UInt64) async throws {
    let run = Rolling(log: log, seed: seed)
    for number in 0..<3 { run.start(number, [first]) }
    try await withThrowingTaskGroup { group in
      for number in 0..<3 { group.addTask { await run.load(number) } }
      for number in 0..<3 {
        await run.told.wait { $0.count >= (number + 1) * 10 }
        if number == 1 { await run[number].close() } else { run[number].crash() }
        run.start(number, [first, second])
        try await run[number].catchUpSurely()
      }
      try await run[2].upgradeSurely(to: 2)
      run.isOver.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    let all = (0..<3).map { run[$0] }
    try await all[0].sendSurely(Rename(title: "renamed"))
    for replica in all { try await replica.catchUpSurely() }
    for replica in all { await replica.reached(log.last) }
    let final = all[0].store.state
    for replica in all { #expect(replica.store.state.state == final.state) }
    #expect(final.table.version == 2 && final.state.title == "renamed")
    let counts = Dictionary(final.state.lines.map { ($0, 1) }, uniquingKeysWith: +)
    for text in run.told.all { #expect(counts[text] == 1, "\(text) was acknowledged") }
    #expect(counts.values.allSatisfy { $0 == 1 })
    for replica in all { await replica.close() }
  }

  @Test func aNewProgramWritesOnlyWhatTheOldOneCanReadUntilTheUpgrade() async throws {
    let old = replica(of: log.connection(), "old")
    let new = replica(of: log.connection(), "new", versions: [first, second])
    let early = SharedStoreError.notSent("It needs version 2, and the log is at 1.")
    await #expect(throws: early) { try await new.send(Rename(title: "early")) }
    try await new.send(LineIntent.add("a"))
    try await old.catchUp()
    #expect(old.store.state.state.lines == ["a"] && old.store.state.link == .live)
    await #expect(throws: UpgradeError.notReady(["old"])) { try await new.upgrade(to: 2) }
    await old.close()
    try await new.upgrade(to: 2)
    #expect(new.store.state.state.title == "migrated at 1")
    try await new.send(Rename(title: "later"))
    #expect(new.store.state.state.title == "later" && new.status.version == 2)
    await new.close()
  }

  @Test func aReplicaOfAnotherVersionThatSendsBeforeItsFirstReadStopsNoOther() async throws {
    let replicas = ["a", "b"].map { replica(of: log.connection(), $0) }
    try await replicas[0].send(LineIntent.add("a"))
    let new = replica(of: log.connection(), "new", versions: [first, second])
    new.store.dispatch(LineIntent.add("b"))
    let position = try await new.catchUp()
    for replica in replicas {
      await replica.reached(position)
      #expect(replica.store.state.state.lines == ["a", "b"])
      #expect(replica.store.state.link == .live)
    }
    for replica in replicas + [new] { await replica.close() }
  }

  @Test func anOldReplicaThatComesBackStopsAndLosesNothing() async throws {
    let connection = log.connection()
    let old = replica(of: connection, "old")
    try await old.send(LineIntent.add("a"))
    let new = replica(of: log.connection(), "new", versions: [first, second])
    try await new.catchUp()
    connection.setCut(true)
    async let late = Task { try await old.send(LineIntent.add("late")) }.result
    try await new.upgrade(to: 2, without: ["old"])
    connection.setCut(false)
    let stopped = await old.link { if case .stopped = $0 { true } else { false } }
    guard case .stopped(.version(log: 2, known: 1...1, _)) = stopped else {
      throw UpgradeError.unknownVersion(2)
    }
    try await new.catchUp()
    let isThere = new.store.state.state.lines.contains("late")
    switch await late {
    case .success: #expect(isThere)
    case .failure(SharedStoreError.unknownOutcome): break
    case .failure: #expect(!isThere, "what was not sent is there")
    }
    await old.close()
    let restarted = replica(of: log.connection(), "old", versions: [first, second])
    try await restarted.catchUp()
    #expect(restarted.store.state.state.lines.first == "a")
    await restarted.close()
    await new.close()
  }

  @Test func ofTwoUpgradesAtOnceOneActs() async throws {
    let migrations = Noted<Int>()
    let counted = SharedVersion<Lines>.version(2, reducer: lines) { state in
      state.title += "!"
    }
    let replicas = ["a", "b"].map { label in
      replica(of: log.connection(), label, versions: [first, counted]) {
        if case .upgraded(let version) = $0 { migrations.add(version) }
      }
    }
    for replica in replicas { try await replica.catchUp() }
    async let one: Void = replicas[0].upgrade(to: 2)
    async let other: Void = replicas[1].upgrade(to: 2)
    _ = try await (one, other)
    for replica in replicas {
      try await replica.catchUp()
      #expect(replica.store.state.state.title == "!")
      await replica.close()
    }
    #expect(migrations.all == [2, 2])
  }

  @Test func aMigrationThatThrowsUpgradesNothing() async throws {
    struct Unfit: Error {}
    let picky = SharedVersion<Lines>.version(2, reducer: lines) { state in
      if state.lines.contains("bad") { throw Unfit() }
    }
    let shared = replica(of: log.connection(), versions: [first, picky])
    try await shared.send(LineIntent.add("bad"))
    let before = log.last
    await #expect(throws: UpgradeError.migration("Unfit()")) { try await shared.upgrade(to: 2) }
    #expect(log.last == before + 1, "only catchUp's entry was sent")

    // At the position too: the state there may be another one than the caller's.
    _ = try await shared.replica.sender.send([], .upgrade(to: 2, without: []))
    try await shared.send(LineIntent.add("after"))
    #expect(shared.status.version == 1 && shared.store.state.state.lines == ["bad", "after"])
    await shared.close()
  }

  @Test func anEntryThatNeedsALaterVersionIsNeitherDecodedNorReducedButCounts() async throws {
    let shared = replica(of: log.connection())
    try await shared.catchUp()
    var header = Entry.Header("newer", 1, knows: 2)
    header.needs = 2
    log.append(try Entry.bytes(header, [Array(#"["unheard of",{}]"#.utf8)]))
    log.append(try Entry.bytes(Entry.Header("newer", 1), [Array(#"["line",0]"#.utf8)]))
    try await shared.send(LineIntent.add("a"))
    #expect(shared.store.state.state.lines == ["a"])
    #expect(shared.store.state.table.number(of: "newer") == 1)
    await shared.close()
  }

  @Test func programsMayLeaveAVersionOutWhenASnapshotIsOfTheNextOne() async throws {
    let old = replica(of: log.connection(), "a", versions: [first, second])
    try await old.send(LineIntent.add("a"))
    #expect(old.status.canDrop == nil)
    try await old.upgrade(to: 2)
    for await status in old.store.values(of: \.status) where status.canDrop == 1 { break }
    await old.close()
    let new = replica(of: log.connection(), "a", versions: [second])
    try await new.send(Rename(title: "b"))
    #expect(new.store.state.state.lines == ["a"] && new.status.version == 2)
    await new.close()
  }

  @Test func aLogOfAVersionThatTheProgramDoesNotKnowIsRefusedWithBothNamed() async throws {
    let old = replica(of: log.connection())
    try await old.catchUp()
    let new = replica(of: log.connection(), "new", versions: [second])
    let error = SharedStoreError.version(log: 1, known: 2...2, position: 1)
    #expect(await new.link { $0 == .stopped(error) } != nil)
    await #expect(throws: error) { try await new.send(LineIntent.add("a")) }
    await new.close()
    await old.close()
  }

  @Test func anOwnerThatDoesNotKnowTheVersionIsReplacedWithoutWaitingForItsLease() async throws {
    let connection = log.connection()
    let old = replica(of: connection, "old")
    old.own(Mail.self) { _, _ in
      try await ContinuousClock().sleep(for: .seconds(3_600))
      return []
    }
    try await old.send(LineIntent.order("book"))
    for await status in old.store.values(of: \.status) where status.owner == "old" { break }
    connection.setCut(true)
    let new = replica(
      of: log.connection(), "new", versions: [first, second], lease: .seconds(1_000_000))
    new.own(Mail.self) { mail, _ in [LineIntent.mailed(mail.text)] }
    try await new.upgrade(to: 2, without: ["old"])
    for await mailed in new.store.values(of: \.state.mailed) where mailed == ["book"] { break }
    await old.close()
    await new.close()
  }
}

extension SharedStore {
  /// Ends as a killed process does: without a word to the others.
  func crash() { stop() }

  func upgradeSurely(to version: Int) async throws(UpgradeError) {
    while true {
      do throws(UpgradeError) { return try await upgrade(to: version) } catch .log {
      }
    }
  }
}
