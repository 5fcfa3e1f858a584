/// A thread's attempt to take a lock that another one holds: what it exchanges in the lock's word,
/// and what follows.
///
/// The word is 0 while the lock is free, else the number of the thread that holds it, with ``mark``
/// while others may be asleep. The thread that releases a marked lock wakes one of them. Where a
/// thread is asleep, one of these is true, so no wake-up is lost:
///
/// - the word is marked;
/// - a thread has taken a marked word away and is about to see that there is a token;
/// - there is a token, which lets a thread out of its sleep;
/// - a thread has taken a token, and will mark the word, be it as its own.
@usableFromInline
package struct LockAttempt: Hashable {
  /// Says that threads may be asleep; no thread's number has it.
  @inlinable package static var mark: UInt { 1 }

  /// The thread that holds the lock; 0 while it is free.
  @inlinable
  package static func holder(_ word: UInt) -> ThreadID { word & ~mark }

  /// What the word should be for the exchange.
  package private(set) var expected: UInt

  /// What the thread writes when it finds the lock free.
  private var claim: UInt

  package init(by thread: ThreadID, on word: UInt) {
    expected = word
    claim = thread
  }

  /// What the word becomes by the exchange.
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
