/// A log of a store's commits: it writes each when the commit's turn in the outbox has come, before
/// anything behind it is delivered (J3).
///
/// The store appends under its lock, in the order of commits, and an entry of its outbox stands for
/// each record. Deliveries never overlap, so neither do calls of ``writeNext()``.
@usableFromInline
package protocol CommitLog: AnyObject, Sendable {
  /// Says which effects must happen; nil if none must.
  var mustHappen: (@Sendable (any Effect) -> Bool)? { get }

  /// Appends the record of a commit.
  func append(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], of commit: Int,
    _ state: some Sendable)

  /// Appends which effects that must happen are over.
  ///
  /// - Parameters:
  ///   - causes: the effects, as causes of what they dispatch.
  ///   - isOfLast: whether the last commit that was appended has ended them.
  /// - Returns: whether they have a record of their own, and not a part of that commit's.
  func append(over causes: [Cause], isOfLast: Bool) -> Bool

  /// Appends a clean end, with the state after the last commit.
  func appendEnd(with state: some Sendable, after commit: Int)

  /// Writes the oldest record, unless it was written together with one before it; no lock is held.
  func writeNext()

  /// Writes a clean end at once, as the store goes.
  func end(with state: some Sendable, after commit: Int)
}
