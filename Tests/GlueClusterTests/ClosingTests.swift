import Glue
import GlueClusterTesting
import GlueJournal
import Testing

@testable import GlueCluster

/// E4: a replica that closes hands its effects over when they have ended.
@Suite struct ClosingTests {
  let log = MemoryLog()
  let events = Noted<SharedStoreEvent>()
  let begun = Noted<String>()
  let gate = AsyncStream.makeStream(of: Void.self)

  /// An owner whose effects end when the gate opens, also if they are canceled.
  private func owner(_ clock: JumpingClock = JumpingClock()) async throws -> SharedStore<
    Lines, [String]
  > {
    let owner = replica(of: log.connection(), "owner", clock: clock, report: events.add)
    let gated = Task { [gate] in for await _ in gate.stream {} }
    owner.own(Mail.self) { [begun] mail, _ in
      begun.add("owner")
      await gated.value
      return [LineIntent.mailed(mail.text)]
    }
    try await owner.send(LineIntent.order("book"))
    await begun.wait { $0 == ["owner"] }
    return owner
  }

  private func acts() async throws -> [Entry.Act] {
    try await log.connection().read(from: 1, within: .zero).entries.compactMap {
      try Entry.header(of: $0.bytes).act
    }
  }

  @Test func anEffectThatEndsWhileItsReplicaClosesSendsItsResultBeforeAnotherTakesOver()
    async throws
  {
    let (owner, next) = (try await owner(), replica(of: log.connection(), "next"))
    let begun = begun
    next.own(Mail.self) { mail, _ in
      begun.add("next")
      return [LineIntent.mailed(mail.text)]
    }
    let closing = Task { await owner.close() }
    while owner.replica.duties.takesMore { await Task.yield() }
    try await owner.send(LineIntent.add("still sent"))
    gate.continuation.finish()
    await closing.value
    try await next.catchUp()
    #expect(next.store.state.state.mailed == ["book"] && begun.all == ["owner"])
    let acts = try await acts()
    let done = acts.firstIndex { if case .done = $0 { true } else { false } }
    #expect(try #require(done) < #require(acts.firstIndex(of: .gone)))
    await next.close()
  }

  @Test func effectsThatDoNotEndInTimeAreNamedAndNotHandedOver() async throws {
    let clock = JumpingClock()
    let owner = try await owner(clock)
    let id = try #require(owner.store.state.table.owed.first)
    let closing = Task { await owner.close(within: .seconds(20)) }
    while owner.replica.duties.takesMore { await Task.yield() }
    for _ in 1...20 { try await clock.sleep(for: .seconds(1)) }
    await closing.value
    #expect(events.all.contains(.notHandedOver([id.id: #"["mail",{"text":"book"}]"#])))
    #expect(try await !acts().contains(.gone))
    gate.continuation.finish()
  }

  @Test func aReplicaThatClosesClaimsAndStartsNoEffects() async throws {
    let owner = try await owner()
    let closing = Task { await owner.close() }
    while owner.replica.duties.takesMore { await Task.yield() }
    try await owner.send(LineIntent.order("another"))
    gate.continuation.finish()
    await closing.value
    #expect(begun.all == ["owner"] && owner.status.owed == 1)
  }

  /// The first try and those after it find the same reason, so one report is enough.
  @Test func aResultThatCannotBeSentIsReportedOnceAndTriedAfterLongerAndLongerPauses() async throws
  {
    let (clock, tried) = (JumpingClock(), Noted<Duration>())
    let timing = Timing(clock)
    Unsendable.tried.withLock { $0 = { tried.add(timing.now()) } }
    let format = JournalFormat(
      of: Lines.self,
      intents: [.named("line", LineIntent.self), .named("unsendable", Unsendable.self)],
      effects: [.atLeastOnce("mail", Mail.self)])
    let owner = replica(
      of: log.connection(), "owner", format: format, clock: clock, report: events.add)
    owner.own(Mail.self) { _, _ in [Unsendable()] }
    try await owner.send(LineIntent.order("book"))
    await tried.wait { Set($0).count >= 5 }
    // A try encodes more than once.
    let times = Set(tried.all).sorted()
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    for (number, pause) in pauses.enumerated() { #expect(pause >= .seconds(1 << min(number, 5))) }
    let reports = events.all.filter { if case .resultNotSent = $0 { true } else { false } }
    #expect(reports.count == 1)
    let failing = owner.status.failing.map { "\($0.key.name): \($0.value)" }
    #expect(failing.count == 1 && failing[0].contains("can't be sent: unsendable"))
    #expect(owner.status.description.contains("failing "))
    await owner.close()
  }
}

private struct Unsendable: Intent, Codable {
  static let tried = Locked<@Sendable () -> Void>({})

  init() {}

  init(from decoder: any Decoder) throws {}

  func encode(to encoder: any Encoder) throws {
    Self.tried.withLock { $0 }()
    throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "refused"))
  }
}
