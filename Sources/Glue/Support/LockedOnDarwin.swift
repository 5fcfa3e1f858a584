#if canImport(Darwin)
  public import Synchronization

  /// ``Locked`` on Darwin, whose `Mutex` hands nothing over: the holder is stored beside it.
  @usableFromInline
  package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let holder = Atomic<ThreadID>(0)

    @_alwaysEmitIntoClient
    package init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    @_alwaysEmitIntoClient
    package func isHeld(by thread: ThreadID) -> Bool {
      holder.load(ordering: .relaxed) == thread
    }

    @_alwaysEmitIntoClient
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
#endif
