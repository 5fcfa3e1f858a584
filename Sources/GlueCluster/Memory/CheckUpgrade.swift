public import GlueJournal

/// Checks that a new program reads what the running one wrote, and can be upgraded to.
///
///     @Test func theNextVersionReadsWhatTheLastOneWrote() throws {
///       try checkUpgrade(from: snapshot, entries: entries, versions: versions, format: format)
///     }
///
/// Keep a snapshot and entries of the running program as files of your tests: `snapshot()` and
/// `read(from:within:)` of any ``Log`` return them. Take entries with one intent of each
/// name, and of each case.
///
/// - Parameters:
///   - snapshot: what the running program kept. It has the state, the version in force and the owed
///     effects.
///   - entries: what the running program sent.
///   - versions: the versions that the new program knows. The snapshot's state is migrated by each
///     that comes after the snapshot's.
///   - format: the new program's format.
/// - Throws: ``SharedStoreError`` if a replica would stop there, or if the running
///   program could not read the new program's state until the upgrade.
///   ``UpgradeError/migration(_:)`` if the upgrade would upgrade nothing.
public func checkUpgrade<State: Codable & Sendable>(
  from snapshot: LogSnapshot, entries: [LogEntry] = [], versions: [SharedVersion<State>],
  format: JournalFormat<State>
) throws {
  try checkReading(of: snapshot, entries, versions: versions, format: format)
}
