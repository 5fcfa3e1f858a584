import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// A replica compares its last entry with the log before it sends anything in a new session.
@Suite(.jumpingTime) struct ComparingTests {
  let log = MemoryLog()
  let events = Noted<SharedStoreEvent>()

  private func shared(
    _ label: String, _ log: some Log, snapshotEvery: Int = 10_000, deadline: Duration = .seconds(15)
  ) -> SharedStore<Lines, [String]> {
    replica(of: log, label, snapshotEvery: snapshotEvery, deadline: deadline) { [events] event in
      switch event {
      case .linkBack, .linkLost, .ownerChanged: break
      default: events.add(event)
      }
    }
  }

  private func agree(_ replicas: [SharedStore<Lines, [String]>]) async throws {
    var states: [Replicated<Lines, [String]>] = []
    // An owner may send between two replicas' reads.
    repeat {
      for replica in replicas { try await replica.catchUpSurely() }
      let last = replicas.map(\.store.state.position).max()!
      for replica in replicas { await replica.reached(last) }
      states = replicas.map(\.store.state)
    } while Set(states.map(\.position)).count > 1
    for state in states {
      #expect(state.state == states[0].state && state.table == states[0].table)
      #expect(state.link == .live && state.status.lag == 0)
    }
    for replica in replicas { await replica.close() }
  }

  @Test func aReplicaThatIsAheadOfARestoredLogBeginsAnewBeforeItSends() async throws {
    let connection = log.connection()
    let (ahead, other) = (shared("ahead", connection), shared("other", log.connection()))
    let last = try await ahead.send(LineIntent.add("kept"))
    await other.reached(last)
    let lost = [
      try await ahead.send(LineIntent.add("lost 1")),
      try await ahead.send(LineIntent.add("lost 2")),
    ]
    await other.reached(lost[1])
    log.lose(after: last)
    try await ahead.sendSurely(LineIntent.add("after"))
    #expect(ahead.store.state.state.lines == ["kept", "after"])
    await events.wait { $0.count >= 2 }
    let went = { SharedStoreEvent.logWentBack(from: lost[1], to: last, acknowledged: $0) }
    #expect(events.all.contains(went(lost)) && events.all.contains(went([])))
    try await agree([ahead, other])
    #expect(events.all.count == 2)
  }

  /// The log's end alone doesn't show it.
  @Test func aReplicaThatComesBackAfterOthersHaveSentBeginsAnew() async throws {
    let connection = log.connection()
    let ahead = shared("ahead", connection)
    let last = try await ahead.send(LineIntent.add("kept"))
    let lost = try await ahead.send(LineIntent.add("lost"))
    connection.setCut(true)
    log.lose(after: last)
    let other = shared("other", log.connection())
    for number in 1...5 { try await other.send(LineIntent.add("\(number)")) }
    async let sent: Void = ahead.sendSurely(LineIntent.add("after"))
    connection.setCut(false)
    _ = try await sent
    try await agree([ahead, other])
    #expect(ahead.store.state.state.lines == ["kept", "1", "2", "3", "4", "5", "after"])
    #expect(events.all == [.logWentBack(from: lost, to: last, acknowledged: [lost])])
  }

  @Test func anewMeansFromTheSnapshot() async throws {
    let ahead = shared("ahead", log.connection(), snapshotEvery: 10)
    for number in 1...25 { try await ahead.send(LineIntent.add("\(number)")) }
    for await kept in ahead.store.values(of: \.table.kept.position) where kept == 20 { break }
    let position = try await ahead.catchUp()
    while log.first == 1 { await Task.yield() }
    log.lose(after: 23)
    await events.wait { !$0.isEmpty }
    guard case .logWentBack(position, 23, let lost) = events.all[0] else {
      throw SharedStoreError.closed
    }
    #expect(!lost.isEmpty && lost.allSatisfy { (24...position).contains($0) })
    try await agree([ahead, shared("new", log.connection())])
  }

  /// A snapshot that is kept elsewhere may survive the loss of entries.
  @Test(arguments: [2, 30])
  func aSnapshotOfEntriesThatAreLostIsNotUsed(others: Int) async throws {
    let ahead = shared("ahead", log.connection(), snapshotEvery: 10)
    for number in 1...15 { try await ahead.send(LineIntent.add("\(number)")) }
    for await kept in ahead.store.values(of: \.table.kept.position) where kept == 10 { break }
    let snapshot = try #require(try await log.connection().snapshot())
    await ahead.close()
    log.lose(after: 3)
    try await log.connection().keep(snapshot, trimmingBelow: 0, in: nil)
    for number in 1...others {
      log.append(try Entry.bytes(Entry.Header("other", number), []))
    }
    let new = shared("new", log.connection())
    try await new.catchUp()
    #expect(new.store.state.table.senders["other"]?.number == others)
    #expect(events.all == [.logWentBack(from: 10, to: 9, acknowledged: [])])
    try await agree([new])
  }

  /// The entry was dropped, so the snapshot that was kept there is compared.
  @Test(arguments: [false, true])
  func aReplicaAtTheBeginningOfTheLogComparesTheSnapshot(differs: Bool) async throws {
    let connection = log.connection()
    let behind = shared("behind", connection)
    while try await behind.send(LineIntent.add("kept")) < 10 {}
    connection.setCut(true)
    if differs { log.lose(after: 8) }
    let ahead = shared("ahead", log.connection(), snapshotEvery: 10)
    while try await ahead.send(LineIntent.add("more")) < 20 {}
    for await kept in ahead.store.values(of: \.table.kept.position) where kept == 20 { break }
    log.lose(after: 12)
    #expect(log.first == 11)
    connection.setCut(false)
    try await agree([behind, ahead])
    let report = SharedStoreEvent.logWentBack(from: 10, to: 9, acknowledged: [10])
    #expect(events.all.contains(report) == differs)
  }

  /// It says that its sender has read what is lost, and nothing is left that would show it.
  @Test func anEntryInFlightIsNotSentAfterASnapshotAsIfItHadReadTheLog() async throws {
    let losing = Losing(log: log)
    let behind = shared("behind", losing, deadline: .seconds(1_000_000))
    while try await behind.send(LineIntent.add("kept")) < 8 {}
    let lost = try await behind.send(LineIntent.add("lost"))
    losing.next.withLock { $0 = .refused }
    let sent = behind.sending("in flight")
    for await _ in losing.appends.stream { break }
    losing.connection.setCut(true)
    log.lose(after: lost - 1)
    let ahead = shared("ahead", log.connection(), snapshotEvery: 10)
    while try await ahead.send(LineIntent.add("more")) < 20 {}
    for await kept in ahead.store.values(of: \.table.kept.position) where kept == 20 { break }
    losing.next.withLock { $0 = .appended }
    losing.connection.setCut(false)
    _ = try await sent.value
    try await agree([behind, ahead])
    #expect(ahead.store.state.state.lines.last == "in flight")
    #expect(events.all == [])
  }

  /// The same entry came back to its position, after others that were dropped since.
  @Test func aReplicaThatCanNotCompareAllBeginsWithTheSnapshot() async throws {
    let connection = log.connection()
    let behind = shared("behind", connection)
    while try await behind.send(LineIntent.add("kept")) < 8 {}
    var header = Entry.Header("late", 1)
    header.seen = behind.store.state.table.seen
    let late = try Entry.bytes(header, [])
    for number in 9...10 { try await behind.send(LineIntent.add("lost \(number)")) }
    await behind.reached(log.append(late))
    connection.setCut(true)
    log.lose(after: 8)
    let ahead = shared("ahead", log.connection(), snapshotEvery: 10)
    while try await ahead.send(LineIntent.add("more")) < 10 {}
    #expect(log.append(late) == 11)
    while try await ahead.send(LineIntent.add("more")) < 20 {}
    for await kept in ahead.store.values(of: \.table.kept.position) where kept == 20 { break }
    #expect(log.first == 11)
    connection.setCut(false)
    try await agree([behind, ahead])
  }

  /// It would drop what a replica needs that begins anew, or be compared with nothing later.
  @Test func aSnapshotThatIsKeptLateIsNotKeptInALogThatWentBack() async throws {
    let losing = Losing(log: log)
    let ahead = shared("ahead", losing, snapshotEvery: 10)
    losing.losesAtKeep.withLock { $0 = 20 }
    while try await ahead.send(LineIntent.add("more")) < 20 {}
    let report = SharedStoreEvent.snapshotFailed(position: 20, "another session has begun")
    await events.wait { $0.contains(report) }
    #expect(log.first == 1)
    #expect(try await log.connection().snapshot()?.position == 10)
    try await agree([ahead, shared("new", log.connection())])
  }

  /// Its sender must not wait for its deadline, which nothing lets pass here.
  @Test func anEntryThatIsLostBeforeItIsReadHasItsAnswerOnceThatPlaceIsRead() async throws {
    let losing = Losing(log: log)
    let (losingOne, other) = (shared("a", losing), shared("b", log.connection()))
    try await losingOne.catchUp()
    losing.next.withLock { $0 = .lost }
    let sent = losingOne.sending("lost")
    for await _ in losing.appends.stream { break }
    try await other.send(LineIntent.add("other"))
    #expect(try await losingOne.outcome(of: ticket(of: sent)) == nil)
    #expect(losingOne.store.state.state.lines == ["other"])
    try await agree([losingOne, other])
  }

  /// It says that its sender has read what is lost, so it would stop every other replica.
  @Test func anEntryInFlightIsNotSentToALogThatWentBack() async throws {
    let (connection, tried) = (log.connection(), Noted<Int>())
    let ahead = shared("ahead", NotingLog(connection) { tried.add($0.number) })
    let last = try await ahead.send(LineIntent.add("kept"))
    try await ahead.send(LineIntent.add("lost"))
    var faults = MemoryLog.Faults()
    faults.lostAppends = 1
    connection.setFaults(faults)
    let sent = ahead.sending("in flight")
    await tried.wait { numbers in numbers.count { $0 == numbers.last } > 1 }
    connection.setCut(true)
    for await link in ahead.store.values(of: \.link) where link != .live { break }
    log.lose(after: last)
    let other = shared("other", log.connection())
    try await other.send(LineIntent.add("other"))
    connection.setFaults(.init())
    connection.setCut(false)
    #expect(try await ahead.outcome(of: ticket(of: sent)) == nil)
    try await agree([ahead, other])
  }

  @Test func anEngineThatAnswersFromBehindLosesNothing() async throws {
    let lagging = Lagging(log: log.connection())
    let shared = shared("a", lagging)
    for number in 1...5 { try await shared.send(LineIntent.add("\(number)")) }
    try await agree([shared])
    #expect(events.all == [])
  }

  /// It distinguishes no sessions, so the replica compares after each lost link.
  @Test func anEngineWithoutSessionsIsComparedWhenTheLinkIsBack() async throws {
    let connection = log.connection()
    let ahead = shared("ahead", PlainLog(log: connection))
    let last = try await ahead.send(LineIntent.add("kept"))
    let lost = try await ahead.send(LineIntent.add("lost"))
    connection.setCut(true)
    for await link in ahead.store.values(of: \.link) where link != .live { break }
    log.lose(after: last)
    let other = shared("other", log.connection())
    for number in 1...5 { try await other.send(LineIntent.add("\(number)")) }
    connection.setCut(false)
    try await agree([ahead, other])
    #expect(events.all == [.logWentBack(from: lost, to: last, acknowledged: [lost])])
  }

  /// Another effect may have the place of the one that is lost, under an owner of the same revision.
  @Test func theResultOfAnEffectThatIsLostCountsForNoOther() async throws {
    let ahead = shared("ahead", log.connection())
    let (begun, gate) = (Noted<String>(), AsyncStream.makeStream(of: Void.self))
    ahead.own(Mail.self) { mail, _ in
      begun.add(mail.text)
      if mail.text == "lost" { for await _ in gate.stream {} }
      return [LineIntent.mailed(mail.text)]
    }
    let last = try await ahead.catchUp()
    try await ahead.send(LineIntent.order("lost"))
    await begun.wait { $0 == ["lost"] }
    log.lose(after: last)
    await events.wait { !$0.isEmpty }
    try await ahead.sendSurely(LineIntent.order("other"))
    gate.continuation.finish()
    for await mailed in ahead.store.values(of: \.state.mailed) where !mailed.isEmpty { break }
    #expect(ahead.store.state.state.mailed == ["other"])
    try await agree([ahead])
  }

  @Test(arguments: Trials.seeds(Trials.number("GLUE_FUZZ", or: 10)))
  func replicasOfALogThatLosesEntriesEndEqual(seed: UInt64) async throws {
    let log = MemoryLog()
    var random = SeededGenerator(seed: seed)
    let run = Run(
      log: log, seed: seed, replicas: 3, snapshotEvery: seed % 2 == 0 ? 10 : 10_000,
      lease: .seconds(6))
    for replica in run.replicas {
      replica.own(Mail.self) { mail, _ in [LineIntent.mailed(mail.text)] }
    }
    for round in 0..<6 {
      for number in 0..<8 {
        let index = Int.random(in: 0..<3, using: &random)
        let text = "\(round).\(number)"
        run.connections[(index + 1) % 3].setCut(Bool.random(using: &random))
        run.connections[index].setCut(false)
        try await run.replicas[index].sendSurely(
          number % 4 == 0 ? LineIntent.order(text) : .add(text))
      }
      log.lose(after: log.last - Int.random(in: 0...6, using: &random))
    }
    for connection in run.connections { connection.setCut(false) }
    run.calm()
    // A result that was lost before it was read waits for its deadline, if no entry has its position.
    let passing = Task(executorPreference: JumpingTime.current) {
      while true { try await run.clock.sleep(for: .milliseconds(100)) }
    }
    defer { passing.cancel() }
    try await agree(run.replicas)
  }
}

/// Refuses appends, loses one that it acknowledges, or the last entries before it keeps a snapshot.
private final class Losing: Log {
  enum Next { case appended, refused, lost }

  let log: MemoryLog
  let connection: MemoryLog.Connection
  let next = Locked(Next.appended)
  let losesAtKeep = Locked(LogPosition?.none)

  /// Yields when an append was refused or lost.
  let appends = AsyncStream.makeStream(of: Void.self)

  init(log: MemoryLog) { (self.log, connection) = (log, log.connection()) }

  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    switch next.withLock({ $0 }) {
    case .appended: return try await connection.append(entry, in: session, within: limit)
    case .refused:
      appends.continuation.yield()
      throw .refused("It is refused.")
    case .lost:
      next.withLock { $0 = .appended }
      let last = log.last
      log.lose(after: last)
      appends.continuation.yield()
      return last + 1
    }
  }

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    try await connection.read(from: first, within: limit)
  }

  func snapshot() async throws(LogError) -> LogSnapshot? { try await connection.snapshot() }

  func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
  ) async throws(LogError) {
    if losesAtKeep.withLock({ $0 == snapshot.position }) {
      log.lose(after: snapshot.position - 3)
      for number in 1...5 {
        if let entry = try? Entry.bytes(Entry.Header("other", number), []) { log.append(entry) }
      }
    }
    try await connection.keep(snapshot, trimmingBelow: position, in: session)
  }
}

/// Says that the log ends before the last entry.
private struct Lagging: WrappingLog {
  let log: MemoryLog.Connection

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    var page = try await log.read(from: first, within: limit)
    page.end = first - 2
    return page
  }

  func entry(at position: LogPosition, within limit: Duration) async throws(LogError) -> LogEntry? {
    try await log.entry(at: position, within: limit)
  }
}
