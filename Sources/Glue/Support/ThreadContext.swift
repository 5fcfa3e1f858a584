/// What the library keeps for a thread: values of the user's that are to be released on it.
///
/// The release of a value may run a deinit that uses a store, which then has others to release, and
/// so on: on one thread they are released one after the other, not inside one another, so that a
/// chain of them uses constant stack (G5).
final class ThreadContext {
  private var values: [any Sendable] = []
  private var isReleasing = false

  /// Keeps a value until something is released.
  func discard(_ value: any Sendable) {
    values.append(value)
  }

  /// Releases something, and what is discarded until then; or, where something is being released,
  /// has it kept for then.
  func release(_ release: () -> Void, orKeep keep: () -> Void) {
    if isReleasing { return keep() }
    isReleasing = true
    release()
    if !values.isEmpty { releaseValues() }
    isReleasing = false
  }

  private func releaseValues() {
    var released: [any Sendable] = []
    repeat {
      swap(&released, &values)
      released.removeAll(keepingCapacity: released.count <= ThreadContext.keptCount)
    } while !values.isEmpty
    if values.capacity == 0 { swap(&values, &released) }
  }

  /// The largest number of values whose buffer is kept for later ones.
  private static let keptCount = 64
}

/// Keeps a value of the user's until the calling thread, whose number is `thread`, has unlocked its
/// store: its deinit may use the store (G6).
@usableFromInline
func discard(_ value: any Sendable, on thread: ThreadID) {
  withContext(of: thread) { $0.discard(value) }
}

/// Releases what was discarded on the calling thread, with no lock held.
@usableFromInline
func releaseDiscarded(on thread: ThreadID) {
  withContext(of: thread) {
    $0.release {
    } orKeep: {
    }
  }
}

/// Releases values, to some of which there may be no other references, with no lock held.
@usableFromInline
func release<Value: Sendable>(_ values: inout [Value], on thread: ThreadID = currentThread()) {
  withContext(of: thread) { context in
    context.release {
      destroy(&values)
    } orKeep: {
      context.discard(values)
      values = []
    }
  }
}

/// Releases values now: inlined, their release might be moved to before it is noted that something
/// is being released.
@inline(never)
private func destroy<Value>(_ values: inout [Value]) {
  values = []
}
