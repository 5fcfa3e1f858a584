public import Synchronization

/// A value behind a lock that knows which thread holds it.
@usableFromInline
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let holder = Atomic<ThreadID>(0)

  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Whether `thread`, the calling one, holds the lock already, by ``withLock(by:_:)``, and would
  /// wait for itself.
  @inlinable
  package func isHeld(by thread: ThreadID) -> Bool {
    holder.load(ordering: .relaxed) == thread
  }

  /// Runs `body`, in which the user's code may run, with the lock held by `thread`.
  ///
  /// What it returns is not released before the lock is.
  @inlinable
  package func withLock<Result: Sendable>(
    by thread: ThreadID, _ body: (inout Value) -> Result
  ) -> Result {
    withLock { value in
      holder.store(thread, ordering: .relaxed)
      return body(&value)
    }
  }

  /// Runs `body`, in which only the library's code runs, with the lock held.
  ///
  /// What it returns is not released before the lock is.
  ///
  /// The acquiring load and the releasing store, which cost nothing, repeat what the mutex does
  /// where the thread sanitizer can see it: of a mutex that the kernel hands over it sees nothing.
  @inlinable
  package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    let result = mutex.withLock { value in
      _ = holder.load(ordering: .acquiring)
      defer { holder.store(0, ordering: .releasing) }
      return body(&value)
    }
    withExtendedLifetime(result) {}
    return result
  }
}
