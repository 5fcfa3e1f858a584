import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// An owed effect is retried, counted and given up, as in a queue.
@Suite(.jumpingTime) struct RetryTests {
  struct Full: Error {}

  let log = MemoryLog()
  let clock = JumpingClock()
  let events = Noted<SharedStoreEvent>()

  @Test func whatNeverSucceedsIsGivenUpByAnIntentOfTheProgram() async throws {
    let attempts = Noted<String>()
    let owner = replica(of: log.connection(), clock: clock, report: events.add)
    owner.own(
      Mail.self,
      giveUp: { mail, failure in
        failure.tries < 3 ? nil : [LineIntent.add("\(mail.text) after \(failure.tries)")]
      },
      work: { mail, _ in
        attempts.add(mail.text)
        if mail.text == "book" { throw Full() }
        return [LineIntent.mailed(mail.text)]
      })
    try await owner.send(LineIntent.order("book"))
    try await owner.send(LineIntent.order("pen"))
    for await state in owner.store.values(of: \.state)
    where state.lines == ["book after 3"] && state.mailed == ["pen"] { break }
    #expect(attempts.all.filter { $0 == "book" }.count == 3)
    #expect(owner.status.owed == 0 && owner.status.failing.isEmpty)
    let given = events.all.filter { if case .gaveUp = $0 { true } else { false } }
    #expect(given.count == 1 && "\(given)".contains("Full()"))
    await owner.close()
  }

  @Test func aPolicyWithoutWaitsDoesNotSpin() async throws {
    let tried = Noted<Duration>()
    let timing = Timing(clock)
    let owner = replica(of: log.connection(), clock: clock)
    owner.own(Mail.self, retry: Backoff(from: .zero, limit: .zero)) { _, _ in
      tried.add(timing.now())
      throw Full()
    }
    try await owner.send(LineIntent.order("book"))
    await tried.wait { $0.count >= 4 }
    for (next, last) in zip(tried.all.dropFirst(), tried.all) {
      #expect(next - last >= .milliseconds(10))
    }
    await owner.close()
  }

  @Test func thePolicyDecidesTheWaitsAndTheStatusCountsTheTries() async throws {
    let tried = Noted<Duration>()
    let timing = Timing(clock)
    let owner = replica(of: log.connection(), clock: clock, report: events.add)
    owner.own(
      Mail.self, retry: Backoff(from: .milliseconds(500), factor: 3, limit: .seconds(10))
    ) { _, _ in
      tried.add(timing.now())
      throw Full()
    }
    try await owner.send(LineIntent.order("book"))
    await tried.wait { $0.count >= 5 }
    let waits = zip(tried.all.dropFirst(), tried.all).map { $0 - $1 }
    for (wait, least) in zip(waits, [0.5, 1.5, 4.5, 10]) { #expect(wait >= .seconds(least)) }
    for await failing in owner.store.values(of: \.failing) {
      guard let failure = failing.first?.value, failure.tries >= 5 else { continue }
      #expect(failure.reason == "it threw: Full()" && failure.next != nil)
      break
    }
    #expect(events.all.filter { if case .cannotDo = $0 { true } else { false } }.count == 1)
    await owner.close()
  }
}
