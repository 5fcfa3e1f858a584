import Glue
import GlueCluster
import GlueJournal
import ProcessSupport

/// Makes the replicas of articles, for which no real time passes, because other tests share the
/// processors.
// swift-format-ignore: AlwaysUseLowerCamelCase
func SharedStore<State: Codable & Sendable>(
  state: State, versions: [SharedVersion<State>], format: JournalFormat<State>, replica: String,
  log: some Log, handlers: (EffectHandlers) -> Void = { _ in }
) -> GlueCluster.SharedStore<State, Void> {
  .init(
    state: state, versions: versions, format: format, replica: replica, log: log,
    clock: JumpingClock(), handlers: handlers)
}

/// Yields the snapshots that a replica keeps, and drops no entries.
struct Keeping: Log {
  let log: MemoryLog.Connection
  let kept: AsyncStream<LogSnapshot>.Continuation

  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    try await log.append(entry, in: session, within: limit)
  }

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    try await log.read(from: first, within: limit)
  }

  func snapshot() async throws(LogError) -> LogSnapshot? { try await log.snapshot() }

  func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
  ) async throws(LogError) {
    try await log.keep(snapshot, trimmingBelow: 0, in: session)
    kept.yield(snapshot)
  }
}
