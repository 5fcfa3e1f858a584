import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// An effect begins where the log ends, and an owner that is heard stays the owner.
@Suite(.tags(.threads), .jumpingTime) struct HoldingTests {
  let log = MemoryLog()
  let begun = Noted<String>()

  private func own(_ replica: SharedStore<Lines, [String]>, _ label: String) {
    replica.own(Mail.self) { [begun] mail, _ in
      begun.add("\(label): \(mail.text)")
      return [LineIntent.mailed(mail.text)]
    }
  }

  /// The page that names the next owner comes after two others, each with effects of the old one.
  @Test func anOwnerThatWasCutOffBeginsNothingThatAnotherHasDone() async throws {
    let connection = log.connection()
    let (old, new) = (replica(of: connection, "old"), replica(of: log.connection(), "new"))
    own(old, "old")
    try await old.send(LineIntent.order("first"))
    for await mailed in old.store.values(of: \.state.mailed) where mailed == ["first"] { break }
    connection.setCut(true)
    for number in 1...250 { try await new.send(LineIntent.order("\(number)")) }
    own(new, "new")
    for await mailed in new.store.values(of: \.state.mailed) where mailed.count == 251 { break }
    connection.setCut(false)
    await old.reached(log.last)
    await old.close()
    #expect(begun.all.filter { $0.hasPrefix("old") } == ["old: first"])
    #expect(begun.all.count == 251)
    await new.close()
  }

  @Test func workThatIsAddedWhileAReplicaIsBehindBeginsAtTheEnd() async throws {
    let gated = GatedLog(log.connection())
    let old = replica(of: gated, "old")
    own(old, "old")
    try await old.send(LineIntent.add("first"))
    let claim = Entry.Act.claim(after: old.store.state.table.owner.revision)
    _ = try await old.replica.sender.send([], claim)
    gated.close()
    let new = replica(of: log.connection(), "new")
    for number in 1...150 { try await new.send(LineIntent.order("\(number)")) }
    let revision = new.store.state.table.owner.revision
    _ = try await new.replica.sender.send([], .claim(after: revision))
    let position = old.store.state.position
    gated.open(pages: 1)
    await gated.holds(after: position + 1)
    #expect(old.status.owner == "old" && old.status.owed > 0)
    old.own(Ring.self) { _, _ in [] }
    gated.open()
    await old.reached(log.last)
    await old.close()
    #expect(begun.all == [])
    await new.close()
  }

  /// It can't know whether another owner has taken over.
  @Test func anOwnerThatIsOutOfReachAttemptsNothingAgain() async throws {
    struct Full: Error {}
    let (connection, clock) = (log.connection(), JumpingClock())
    let events = Noted<SharedStoreEvent>()
    let owner = replica(of: connection, "owner", clock: clock, report: events.add)
    owner.own(Mail.self) { [begun] mail, _ in
      begun.add(mail.text)
      throw Full()
    }
    try await owner.send(LineIntent.order("book"))
    await begun.wait { $0.count > 2 }
    connection.setCut(true)
    await events.wait { $0.contains(.linkLost("cut off")) }
    let before = begun.all.count
    for _ in 1...20 { try await clock.sleep(for: .seconds(1)) }
    // One may have begun when the link was lost.
    #expect(begun.all.count <= before + 1)
    connection.setCut(false)
    await begun.wait { $0.count > before + 2 }
    await owner.close()
  }

  private func acts() async throws -> [Entry.Act] {
    var (acts, position) = ([Entry.Act](), 0)
    while position < log.last {
      let entries = try await log.connection().read(from: position + 1, within: .zero).entries
      acts += try entries.compactMap { try Entry.header(of: $0.bytes).act }
      position += entries.count
    }
    return acts
  }

  /// An owner whose effect never ends.
  private func owner() async throws -> SharedStore<Lines, [String]> {
    let owner = replica(of: log.connection(), "owner", lease: .seconds(3))
    owner.own(Mail.self) { _, _ in
      try await ContinuousClock().sleep(for: .seconds(3_600))
      return []
    }
    try await owner.send(LineIntent.order("book"))
    for await status in owner.store.values(of: \.status) where status.owner == "owner" { break }
    return owner
  }

  /// Its own link is down one way: it sends, and hears nothing.
  @Test func aReplicaThatDoesNotHearTheLogDeposesNoOwner() async throws {
    let owner = try await owner()
    let (gated, clock) = (GatedLog(log.connection()), JumpingClock())
    let deaf = replica(of: gated, "deaf", lease: .seconds(3), clock: clock)
    own(deaf, "deaf")
    await deaf.reached(log.last)
    gated.close()
    let heard = owner.store.state.table.number(of: deaf.replica.program.me)
    for _ in 1...100 { try await clock.sleep(for: .seconds(1)) }
    try await owner.catchUp()
    // It has asked the log, because the owner was silent as far as it knew.
    #expect(owner.store.state.table.number(of: deaf.replica.program.me) > heard)
    gated.open()
    await deaf.reached(log.last)
    #expect(try await acts() == [.claim(after: 0)])
    #expect(deaf.status.owner == "owner" && begun.all == [])
    await owner.close()
    await deaf.close()
  }

  /// The owner is heard between the proof and the claim's turn.
  @Test func aClaimIsTriedForAThirdOfTheLease() async throws {
    let owner = try await owner()
    owner.crash()
    let (clock, tried) = (JumpingClock(), Noted<(number: Int, at: Duration)>())
    let timing = Timing(clock)
    let refusing = RefusingLog(log.connection()) { header in
      guard case .claim = header.act else { return false }
      tried.add((header.number, timing.now()))
      return true
    }
    let next = replica(of: refusing, "next", lease: .seconds(6), clock: clock)
    own(next, "next")
    await tried.wait { Set($0.map(\.number)).count > 2 }
    for (_, tries) in Dictionary(grouping: tried.all, by: \.number) {
      #expect(tries.last!.at - tries[0].at <= .seconds(2))
    }
    await next.close()
  }

  /// On the next owner's clock no time passes, so it can't wait for any.
  @Test func aVacancyIsFilledAtOnce() async throws {
    let owner = try await owner()
    let next = replica(of: log.connection(), "next", clock: IdleClock())
    own(next, "next")
    await next.reached(log.last)
    await owner.close()
    for await mailed in next.store.values(of: \.state.mailed) where mailed == ["book"] { break }
    await next.close()
  }

  @Test func aLeaseIsCheckedWhenItIsGiven() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = replica(
        of: MemoryLog().connection(), lease: .milliseconds(2_999), clock: ContinuousClock())
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Glue: a lease of 2.999 seconds is too short."))
  }
}

/// A replica that stops has no duties, for any reason.
@Suite(.tags(.threads), .jumpingTime) struct StoppedDutiesTests {
  let log = MemoryLog()
  let attempts = Noted<String>()
  let events = Noted<SharedStoreEvent>()
  let canceled = Noted<String>()

  /// Starts an owner with two effects: one fails again and again, one runs until it is canceled.
  private func owner(_ clock: JumpingClock) async throws -> SharedStore<Lines, [String]> {
    struct Full: Error {}
    let owner = replica(of: log.connection(), "owner", clock: clock, report: events.add)
    owner.own(Mail.self) { [attempts, canceled] mail, _ in
      attempts.add(mail.text)
      if mail.text == "fails" { throw Full() }
      for await _ in AsyncStream<Void>.makeStream().stream {}
      canceled.add(mail.text)
      return []
    }
    try await owner.send(LineIntent.order("fails"))
    try await owner.send(LineIntent.order("runs"))
    await attempts.wait { $0.contains("runs") && $0.filter { $0 == "fails" }.count > 2 }
    return owner
  }

  private func expectNoMore(
    _ owner: SharedStore<Lines, [String]>, _ clock: JumpingClock
  ) async throws {
    await events.wait { events in
      events.contains { if case .stopped = $0 { true } else { false } }
    }
    try #require(!owner.replica.duties.takesMore)
    let before = attempts.all.count
    for _ in 1...20 { try await clock.sleep(for: .seconds(1)) }
    // One may have begun when the replica stopped.
    #expect(attempts.all.count <= before + 1)
    await canceled.wait { $0 == ["runs"] }
    await owner.close()
  }

  @Test func byAVersionThatItDoesNotKnow() async throws {
    let clock = JumpingClock()
    let owner = try await owner(clock)
    let new = replica(of: log.connection(), "new", versions: [first, second])
    try await new.upgrade(to: 2, without: ["owner"])
    try await expectNoMore(owner, clock)
    await new.close()
  }

  @Test func byAnEntryThatItCannotRead() async throws {
    let clock = JumpingClock()
    let owner = try await owner(clock)
    log.append(try Entry.bytes(Entry.Header("newer", 1), [Array(#"["unheard of",0]"#.utf8)]))
    try await expectNoMore(owner, clock)
  }

  @Test func byADivergence() async throws {
    let clock = JumpingClock()
    let owner = try await owner(clock)
    var header = Entry.Header("other", 1)
    header.seen = Entry.Seen(position: 1, digest: 7)
    log.append(try Entry.bytes(header, []))
    try await expectNoMore(owner, clock)
  }
}

/// Delivers pages while it is open; appends pass always.
final class GatedLog: WrappingLog {
  private struct Gate {
    var pages = Int.max
    var opening: AsyncStream<Void>.Continuation?

    /// Whether a page passes; if not, it waits for `opening`.
    mutating func passes(_ opening: AsyncStream<Void>.Continuation) -> Bool {
      guard pages == 0 else {
        if pages < .max { pages -= 1 }
        return true
      }
      self.opening = opening
      return false
    }
  }

  let log: MemoryLog.Connection
  private let gate = Locked(Gate())
  private let waiting = Noted<LogPosition>()

  init(_ log: MemoryLog.Connection) { self.log = log }

  /// Delivers nothing from now on.
  ///
  /// A page that is being read is read again.
  func close() { gate.withLock { $0.pages = 0 } }

  /// Delivers some pages, or all.
  func open(pages: Int = .max) {
    let opening = gate.withLock { gate in
      gate.pages = pages
      return gate.opening
    }
    opening?.finish()
  }

  /// Waits until a page that begins after a position waits at the gate.
  func holds(after position: LogPosition) async {
    await waiting.wait { $0.contains { $0 > position } }
  }

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    while true {
      let page = try await log.read(from: first, within: limit)
      let (stream, opening) = AsyncStream.makeStream(of: Void.self)
      if Task.isCancelled || gate.withLock({ $0.passes(opening) }) { return page }
      waiting.add(first)
      for await _ in stream {}
    }
  }
}

/// A clock on which no time passes.
final class IdleClock: Clock, OwnedClock {
  let now = JumpingClock().now
  let executor = JumpingClock().executor
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: JumpingClock.Instant, tolerance: Duration?) async throws {
    for await _ in AsyncStream<Void>.makeStream().stream {}
    try Task.checkCancellation()
  }
}

/// Refuses the appends that a closure names.
struct RefusingLog: WrappingLog {
  let log: MemoryLog.Connection
  private let refuses: @Sendable (Entry.Header) -> Bool

  init(
    _ log: MemoryLog.Connection, _ refuses: @escaping @Sendable (Entry.Header) -> Bool
  ) {
    (self.log, self.refuses) = (log, refuses)
  }

  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    if let header = try? Entry.header(of: entry), refuses(header) {
      throw .refused("The disk is full.")
    }
    return try await log.append(entry, in: session, within: limit)
  }
}
