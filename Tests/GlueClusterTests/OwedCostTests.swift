import Glue
import ProcessSupport
import Testing

@testable import GlueCluster

/// Many owed effects cost each what few cost.
@Suite(.jumpingTime) struct OwedCostTests {
  /// All are owed before any has ended, so that all results wait together.
  private func looks(_ count: Int) async throws -> Int {
    let log = MemoryLog()
    let owner = replica(of: log.connection(), deadline: .seconds(100_000))
    let begun = Locked(0)
    let gate = AsyncStream.makeStream(of: Void.self)
    let gated = Task(executorPreference: JumpingTime.current) { for await _ in gate.stream {} }
    owner.own(Mail.self) { mail, _ in
      let number = begun.withLock { begun in
        begun += 1
        return begun
      }
      if number == count { gate.continuation.finish() }
      await gated.value
      return [LineIntent.mailed(mail.text)]
    }
    for number in 1...count {
      owner.store.dispatch(LineIntent.order("\(number)"))
      await Task.yield()
    }
    for await done in owner.store.values(of: \.state.mailed.count) where done == count { break }
    let looks = owner.replica.duties.looks + owner.replica.sender.looks
    await owner.close()
    return looks
  }

  @Test func fourTimesAsManyOwedEffectsCostEachNoMore() async throws {
    let few = Double(try await looks(250)) / 250
    let many = Double(try await looks(1_000)) / 1_000
    #expect(many <= few, "\(many) looks at each, and \(few) of few")
  }
}
