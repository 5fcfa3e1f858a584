import Glue
import ProcessSupport
import Testing

@testable import GlueCluster

/// `send` ends by its deadline, also while an engine's call doesn't return.
@Suite(.jumpingTime) struct DeadlineTests {
  let log = MemoryLog()
  let clock = JumpingClock()

  @Test func aSendEndsByItsDeadlineThoughTheEngineHangs() async throws {
    let hanging = HangingLog(log.connection())
    let shared = replica(of: hanging, deadline: .seconds(5), clock: clock)
    try await shared.catchUp()
    hanging.hangs.withLock { $0 = true }
    let (first, second) = (Noted<Outgoing.Answer>(), Noted<Outgoing.Answer>())
    shared.replica.sender.add([LineIntent.add("being appended")], nil) { first.add($0) }
    await hanging.hung.wait { !$0.isEmpty }
    shared.replica.sender.add([LineIntent.add("waiting")], nil) { second.add($0) }
    try await clock.sleep(for: .seconds(4))
    #expect(first.all.isEmpty && second.all.isEmpty)
    try await clock.sleep(for: .seconds(1.1))
    guard case .failure(.unknownOutcome) = first.all.first,
      case .failure(.notSent) = second.all.first
    else {
      Issue.record("\(first.all), \(second.all)")
      return
    }
    hanging.gate.continuation.finish()
    await shared.close()
  }
}

/// Appends return only when the gate opens.
private final class HangingLog: WrappingLog {
  let hangs = Locked(false)
  let hung = Noted<Int>()
  let gate = AsyncStream.makeStream(of: Void.self)
  let log: MemoryLog.Connection

  init(_ log: MemoryLog.Connection) { self.log = log }

  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    if hangs.withLock({ $0 }) {
      hung.add(entry.count)
      for await _ in gate.stream {}
    }
    return try await log.append(entry, in: session, within: limit)
  }
}
