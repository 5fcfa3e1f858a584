public import Synchronization

/// A value behind a lock at whose release another thread may continue: the rest of the module is the
/// library's own sources.
///
/// Sound: threads take turns, and the turn passes on only where its thread holds no lock.
@usableFromInline
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let value: _Cell<Value>
  @usableFromInline let holder = Atomic<ThreadID>(0)

  @inlinable
  package init(_ value: consuming sending Value) {
    self.value = _Cell(value)
  }

  @inlinable
  package func isHeld(by thread: ThreadID) -> Bool {
    holder.load(ordering: .relaxed) == thread
  }

  @inlinable
  package func withLock<Result: Sendable>(
    by thread: ThreadID = unnamedThread, ifHeld: (() -> Never)? = nil,
    _ body: (inout Value) -> Result
  ) -> Result {
    if let ifHeld, isHeld(by: thread) { ifHeld() }
    precondition(holder.load(ordering: .relaxed) == 0, "a turn has passed on in a critical section")
    holder.store(thread, ordering: .relaxed)
    locksHeld += 1
    let result = body(&value._address.pointee)
    locksHeld -= 1
    holder.store(0, ordering: .relaxed)
    if locksHeld == 0 { atUnlock?() }
    withExtendedLifetime(result) {}
    return result
  }
}

@inlinable package var unnamedThread: ThreadID { 2 }

/// A hook for released locks, and how many locks the thread that has the turn holds.
///
/// Sound: one thread at a time uses them.
@usableFromInline nonisolated(unsafe) package var atUnlock: (() -> Void)?
@usableFromInline nonisolated(unsafe) package var locksHeld = 0
