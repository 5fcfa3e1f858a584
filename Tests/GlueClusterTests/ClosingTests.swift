import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// A replica that closes hands its effects over when they have ended.
@Suite(.tags(.threads), .jumpingTime) struct ClosingTests {
  let log = MemoryLog()
  let events = Noted<SharedStoreEvent>()
  let begun = Noted<String>()
  let gate = AsyncStream.makeStream(of: Void.self)

  /// An owner whose effects end when the gate opens, also if they are canceled.
  private func owner(_ clock: JumpingClock = JumpingClock()) async throws -> SharedStore<
    Lines, [String]
  > {
    let owner = replica(of: log.connection(), "owner", clock: clock, report: events.add)
    let gated = Task(executorPreference: JumpingTime.current) { [gate] in
      for await _ in gate.stream {}
    }
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
    async let closing: Void = owner.close()
    while owner.replica.duties.takesMore { await Task.yield() }
    try await owner.send(LineIntent.add("still sent"))
    gate.continuation.finish()
    await closing
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
    let start = clock.now
    await owner.close(within: .seconds(20))
    #expect(start.duration(to: clock.now) == .seconds(20))
    #expect(events.all.contains(.notHandedOver([id.id: #"["mail",{"text":"book"}]"#])))
    #expect(try await !acts().contains(.gone))
    gate.continuation.finish()
  }

  @Test func aReplicaThatClosesClaimsAndStartsNoEffects() async throws {
    let owner = try await owner()
    async let closing: Void = owner.close()
    while owner.replica.duties.takesMore { await Task.yield() }
    try await owner.send(LineIntent.order("another"))
    gate.continuation.finish()
    await closing
    #expect(begun.all == ["owner"] && owner.status.owed == 1)
  }

  /// A try is refused, or has no answer in its time: each reason is reported once.
  @Test func aResultThatCannotBeSentIsReportedOnceAndTriedAfterLongerAndLongerPauses() async throws
  {
    let (clock, tried) = (JumpingClock(), Noted<(number: Int, at: Duration)>())
    let timing = Timing(clock)
    let refusing = NotingLog(log.connection()) { header in
      if case .done = header.act { tried.add((header.number, timing.now())) }
    }
    let owner = replica(
      of: refusing, "owner", deadline: .milliseconds(10), clock: clock, report: events.add)
    owner.own(Mail.self) { _, _ in
      refusing.refuses(true)
      return []
    }
    try await owner.sendSurely(LineIntent.order("book"))
    // Each try has a number of its own.
    await tried.wait { Set($0.map(\.number)).count >= 5 }
    let times = Dictionary(tried.all.map { ($0.number, $0.at) }, uniquingKeysWith: min).values
      .sorted()
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    for (number, pause) in pauses.enumerated() { #expect(pause >= .seconds(1 << min(number, 5))) }
    let reasons = events.all.compactMap { event in
      if case .resultNotSent(_, effect: _, let error) = event { error.kind } else { nil }
    }
    #expect(!reasons.isEmpty && Set(reasons).count == reasons.count, "\(reasons)")
    let failing = owner.status.failing.map { "\($0.key.name): \($0.value.reason)" }
    #expect(failing.count == 1 && failing[0].contains("can't be sent: "))
    #expect(owner.status.description.contains("failing "))
    await owner.close()
  }
}
