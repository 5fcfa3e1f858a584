#if !canImport(Darwin)
  public import Synchronization

  /// A value behind a lock that knows which thread holds it.
  ///
  /// Sound: only the thread that holds the lock uses the value.
  @usableFromInline
  package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline let value: _Cell<Value>

    @_alwaysEmitIntoClient
    package init(_ value: consuming sending Value) {
      self.value = _Cell(value)
    }

    /// Whether `thread`, the calling one, holds the lock.
    @_alwaysEmitIntoClient
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
    @_alwaysEmitIntoClient
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
      // In one expression, this would count as a change of the lock too, and the thread sanitizer
      // would report a race with the threads that wait for it.
      let address = value._address
      let result = body(&address.pointee)
      let released = lock.word.exchange(0, ordering: .acquiringAndReleasing)
      if released & LockAttempt.mark != 0 { lock.wake() }
      extendLifetime(result)
      return result
    }
  }

  /// A lock of one word, which also says which thread holds it.
  ///
  /// The word is ``LockAttempt``'s; a free lock is taken by one exchange and released by another. A
  /// release hands nothing over: it wakes one sleeping thread, which competes with those awake. So
  /// the running threads keep running, at the price of fairness in the short run.
  ///
  /// Nothing spins, because the holder and the thread that spins would fight for the word.
  @usableFromInline
  package struct Lock: ~Copyable, Sendable {
    /// The address of the semaphore on which contending threads sleep; 0 before the first of them.
    @usableFromInline let semaphore = Atomic<UInt>(0)

    @usableFromInline let word = Atomic<UInt>(0)

    @_alwaysEmitIntoClient
    package init() {}

    @_alwaysEmitIntoClient
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
      // A remaining token wakes a thread already, and more of them would only let threads spin. It
      // can't be one that a sleeping thread has taken: that thread marked the word after it took
      // the token, and the release of this lock has read the mark.
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

/// Holds a lock for a thread that runs only the library's code meanwhile, which doesn't ask for the
/// lock again.
@_alwaysEmitIntoClient package var unnamedThread: ThreadID { 2 }

/// A thread's attempt to take a lock that another thread holds: what it exchanges in the lock's
/// word, and its next step.
///
/// The word is 0 while the lock is free, else the number of the thread that holds it, with ``mark``
/// while others may be asleep. The thread that releases a marked lock wakes one of them. Where a
/// thread is asleep, one of these is true, so no wake-up is lost:
///
/// - the word is marked;
/// - a thread has taken a marked word away and is about to see that there is a token;
/// - there is a token, which lets a thread out of its sleep;
/// - a thread has taken a token, and will mark the word, even as its own.
@usableFromInline
package struct LockAttempt: Hashable {
  /// Says that threads may be asleep; no thread's number has it.
  @_alwaysEmitIntoClient package static var mark: UInt { 1 }

  /// The thread that holds the lock; 0 while it is free.
  @_alwaysEmitIntoClient
  package static func holder(_ word: UInt) -> ThreadID { word & ~mark }

  /// The value of the word for which the exchange is made.
  package private(set) var expected: UInt

  /// The value that the thread writes when it finds the lock free.
  private var claim: UInt

  package init(by thread: ThreadID, on word: UInt) {
    expected = word
    claim = thread
  }

  /// The value that the exchange writes.
  package var desired: UInt { expected == 0 ? claim : expected | LockAttempt.mark }

  package enum Next {
    /// The thread holds the lock.
    case locked

    /// The thread takes a token, for which it sleeps if there is none, and tries again.
    case sleep

    /// The word has changed meanwhile; the thread tries again.
    case retry
  }

  /// Learns whether the exchange was made, and what the word was before.
  ///
  /// - Returns: what the thread does next.
  package mutating func next(after result: (exchanged: Bool, original: UInt)) -> Next {
    guard result.exchanged else {
      expected = result.original
      return .retry
    }
    if expected == 0 { return .locked }
    // The token is one for all that sleep: the thread that takes it passes it on.
    claim |= LockAttempt.mark
    expected = 0
    return .sleep
  }
}
