#if !canImport(Darwin)
  public import Synchronization

  /// A lock that is one word, which also says which thread holds it.
  ///
  /// The word is ``LockAttempt``'s; a free lock is taken by one exchange and released by another.
  /// A release hands nothing over: it wakes one sleeping thread, which competes with those awake. So
  /// the running threads keep running, at the price of fairness in the short run.
  ///
  /// Nothing spins, because the holder and the thread that spins would fight for the word.
  @usableFromInline
  package struct Lock: ~Copyable, Sendable {
    /// The address of the semaphore on which contending threads sleep; 0 before the first of them.
    @usableFromInline let semaphore = Atomic<UInt>(0)

    @usableFromInline let word = Atomic<UInt>(0)

    @inlinable
    package init() {}

    @inlinable
    deinit {
      if semaphore.load(ordering: .acquiring) != 0 { freeSemaphore() }
    }

    /// Sleeps until the lock, which another thread holds, is released, and takes it.
    @usableFromInline @inline(never)
    package func contend(by thread: ThreadID, _ word: UInt) {
      var attempt = LockAttempt(by: thread, on: word)
      let semaphore = sharedSemaphore()
      while true {
        // Releases too: a mark shows the semaphore to the thread that finds the mark.
        let result = self.word.compareExchange(
          expected: attempt.expected, desired: attempt.desired, ordering: .acquiringAndReleasing)
        switch attempt.next(after: result) {
        case .locked: return
        case .sleep: semaphore.takeToken()
        case .retry: continue
        }
      }
    }

    /// Wakes one of the threads that sleep.
    @usableFromInline @inline(never)
    package func wake() {
      guard let semaphore = Semaphore(at: semaphore.load(ordering: .relaxed)) else { return }
      // A token that is left wakes a thread already, and more of them would only let threads spin.
      // It can't be one that a thread now asleep has taken: it marked the word after it took the
      // token, and the release of this lock has read the mark.
      if !semaphore.hasToken { semaphore.addToken() }
    }

    private func sharedSemaphore() -> Semaphore {
      if let semaphore = Semaphore(at: semaphore.load(ordering: .acquiring)) { return semaphore }
      let new = Semaphore()
      let (isFirst, first) = semaphore.compareExchange(
        expected: 0, desired: new.address, ordering: .acquiringAndReleasing)
      guard !isFirst, let first = Semaphore(at: first) else { return new }
      new.free()
      return first
    }

    @usableFromInline
    func freeSemaphore() {
      Semaphore(at: semaphore.load(ordering: .relaxed))?.free()
    }
  }
#endif
