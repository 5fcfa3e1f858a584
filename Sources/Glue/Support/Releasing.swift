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
