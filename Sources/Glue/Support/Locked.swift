public import Synchronization

#if canImport(Darwin)
  /// A value behind a lock that knows which thread holds it.
  @usableFromInline
  package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let holder = Atomic<ThreadID>(0)

    @inlinable
    package init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    /// Whether `thread`, the calling one, holds the lock.
    @inlinable
    package func isHeld(by thread: ThreadID) -> Bool {
      holder.load(ordering: .relaxed) == thread
    }

    /// Runs `body` with the lock held.
    ///
    /// - Parameters:
    ///   - thread: the calling one; needed if `body` runs user code.
    ///   - ifHeld: stops the program if `thread` holds the lock already and would wait for itself.
    ///   - body: uses the value.
    /// - Returns: what `body` returns, which isn't released before the lock is.
    @inlinable
    package func withLock<Result: Sendable>(
      by thread: ThreadID = unnamedThread, ifHeld: (() -> Never)? = nil,
      _ body: (inout Value) -> Result
    ) -> Result {
      if let ifHeld, isHeld(by: thread) { ifHeld() }
      let result = mutex.withLock { value in
        holder.store(thread, ordering: .relaxed)
        defer { holder.store(0, ordering: .relaxed) }
        return body(&value)
      }
      extendLifetime(result)
      return result
    }
  }
#else
  /// A value behind a lock that knows which thread holds it.
  ///
  /// Sound: only the thread that holds the lock uses the value.
  @usableFromInline
  package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline let value: _Cell<Value>

    @inlinable
    package init(_ value: consuming sending Value) {
      self.value = _Cell(value)
    }

    /// Whether `thread`, the calling one, holds the lock.
    @inlinable
    package func isHeld(by thread: ThreadID) -> Bool {
      LockAttempt.holder(lock.word.load(ordering: .relaxed)) == thread
    }

    /// Runs `body` with the lock held.
    ///
    /// - Parameters:
    ///   - thread: the calling one; needed if `body` runs user code.
    ///   - ifHeld: stops the program if `thread` holds the lock already and would wait for itself.
    ///   - body: uses the value.
    /// - Returns: what `body` returns, which isn't released before the lock is.
    @inlinable
    package func withLock<Result: Sendable>(
      by thread: ThreadID = unnamedThread, ifHeld: (() -> Never)? = nil,
      _ body: (inout Value) -> Result
    ) -> Result {
      let (isFree, word) = lock.word.compareExchange(
        expected: 0, desired: thread, ordering: .acquiring)
      if !isFree {
        if let ifHeld, LockAttempt.holder(word) == thread { ifHeld() }
        lock.contend(by: thread, word)
      }
      // In one expression, the thread sanitizer would take it for a change of the lock too.
      let address = value._address
      let result = body(&address.pointee)
      let released = lock.word.exchange(0, ordering: .acquiringAndReleasing)
      if released & LockAttempt.mark != 0 { lock.wake() }
      extendLifetime(result)
      return result
    }
  }
#endif

/// Holds a lock for a thread that runs only the library's code meanwhile, which doesn't ask for the
/// lock again.
@inlinable package var unnamedThread: ThreadID { 2 }
