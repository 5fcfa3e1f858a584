/// Something that a journal writes when its place in the outbox has come: nothing behind it is
/// delivered before (J3).
@usableFromInline
package protocol Written: AnyObject, Sendable {
  /// Writes this and what follows it; no lock is held.
  ///
  /// - Parameters:
  ///   - all: what there is to be written, this first, at most 1,000.
  ///   - rest: gives what is behind these.
  /// - Returns: how many were written, at least one.
  func write(_ all: [any Written], before rest: () -> [any Written]) -> Int
}
