/// What the library keeps for a thread: values of the user's that are to be released on it.
///
/// The release of a value may run a deinit that uses a store, which then has others to release, and
/// so on: on one thread they are released one after the other, not inside one another, so that a
/// chain of them uses constant stack (G5).
final class ThreadContext {
  private var values: [any Sendable] = []
  private var isReleasing = false

  /// Keeps a value until ``release()``, which no lock may be held for.
  func discard(_ value: any Sendable) {
    values.append(value)
  }

  /// Releases what was discarded, or leaves that to a call of this that is under way.
  func release() {
    if isReleasing || values.isEmpty { return }
    isReleasing = true
    var released: [any Sendable] = []
    repeat {
      swap(&released, &values)
      released.removeAll(keepingCapacity: released.count <= ThreadContext.keptCount)
    } while !values.isEmpty
    if values.capacity == 0 { swap(&values, &released) }
    isReleasing = false
  }

  /// The largest number of values whose buffer is kept for later ones.
  private static let keptCount = 64
}

/// Keeps a value of the user's until the calling thread, whose number is `thread`, has unlocked its
/// store: its deinit may use the store (G6).
@usableFromInline
func discard(_ value: any Sendable, on thread: ThreadID) {
  context(of: thread)?.discard(value)
}

/// Releases what was discarded on the calling thread, with no lock held.
@usableFromInline
func releaseDiscarded(on thread: ThreadID) {
  context(of: thread)?.release()
}

/// Releases values that may be the last references to what is the user's, with no lock held.
@usableFromInline
func release<Value: Sendable>(_ values: inout [Value]) {
  var taken: [Value] = []
  swap(&taken, &values)
  guard let context = context(of: currentThread()) else { return }
  context.discard(taken)
  taken = []
  context.release()
}
