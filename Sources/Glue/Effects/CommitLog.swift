/// A log of a store's commits.
///
/// It writes each at the latest when the commit's turn in the outbox has come, before any later entry
/// is delivered (J3).
///
/// The store appends under its lock, in the order of commits, and one entry of its outbox stands
/// for each record, clean ends aside. Deliveries never overlap, so neither do calls of
/// ``writeNext()``.
@usableFromInline
package protocol CommitLog: AnyObject, Sendable {
  /// The time since the instant of ``UnfinishedEffect/emitted``.
  var now: Duration { get }

  /// Decides which effects must happen; nil if none must.
  var mustHappen: (@Sendable (any Effect) -> Bool)? { get }

  /// Appends the record of a commit, when all that it causes is decided.
  ///
  /// The causes in `over` stand for the effects that dispatch intents with them. These effects need
  /// not happen any more, because the commit has canceled, dropped or replaced them.
  func append(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], of commit: Int, over: [Cause],
    _ state: some Sendable)

  /// Appends a record of effects that have happened, as causes of the intents that they dispatch.
  func append(over: [Cause])

  /// Appends a clean end, with the state after the last commit.
  ///
  /// It calls the completion when the end and all records before it are on the disk, or never will
  /// be.
  func appendEnd(
    with state: some Sendable, after commit: Int, completion: @escaping @Sendable () -> Void)

  /// Writes the oldest record, unless an earlier call has written it too; no lock is held.
  func writeNext()

  /// Begins to write all records so far on a thread of its own, without waiting for their entries'
  /// turn.
  func writeAll()

  /// Reports that a shutdown didn't wait any longer for the clean end.
  func reportLateEnd()

  /// How many records, clean ends aside, are appended and not written; called under the store's lock.
  var unwrittenCount: Int { get }

  /// Writes all records and a clean end at once, when the store is released.
  func end(with state: some Sendable, after commit: Int)
}

/// A store that has a log.
package protocol LoggedStore: AnyObject, Sendable {
  /// The state and the number of the last commit.
  var newest: (state: any Sendable, commit: Int) { get }

  /// Records and delivers nothing of later commits, and waits for the deliveries of earlier ones, as
  /// a shutdown does.
  ///
  /// - Returns: the last recorded state and the number of its commit; nil if this isn't the first
  ///   call.
  nonisolated(nonsending) func mute() async -> (state: any Sendable, commit: Int)?
}

/// A log that a store begins with, and what an earlier process has left in it.
@usableFromInline
package struct LogStart {
  let log: any CommitLog
  let commits: Int
  let unfinished: [UnfinishedEffect]

  /// Is called once the store has begun, before it delivers anything; until then, nothing is written.
  let onBegin: (any LoggedStore) -> Void

  package init(
    _ log: any CommitLog, after commits: Int, unfinished: [UnfinishedEffect],
    onBegin: @escaping (any LoggedStore) -> Void = { _ in }
  ) {
    (self.log, self.commits, self.unfinished, self.onBegin) = (log, commits, unfinished, onBegin)
  }
}
