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

  /// Appends the record of a commit.
  func append(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], of commit: Int,
    _ state: some Sendable)

  /// Appends that effects that must happen have ended.
  ///
  /// - Parameters:
  ///   - causes: the effects, as causes of the intents that they dispatch.
  ///   - isOfLast: whether the last appended commit has ended them.
  /// - Returns: whether they have a record of their own, instead of being part of that commit's.
  func append(over causes: [Cause], isOfLast: Bool) -> Bool

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
