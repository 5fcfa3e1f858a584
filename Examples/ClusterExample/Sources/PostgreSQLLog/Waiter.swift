import Synchronization

/// A read that waits until something is appended.
final class Waiter: Sendable {
  let channel: String
  let end: ContinuousClock.Instant
  private let state = Mutex(
    (isResumed: false, continuation: CheckedContinuation<Void, Never>?.none))
  private let isCancelled = Atomic(false)

  init(channel: String, end: ContinuousClock.Instant) { (self.channel, self.end) = (channel, end) }

  /// Whether it waits no longer, whatever comes.
  var isOver: Bool { isCancelled.load(ordering: .relaxed) || ContinuousClock.now >= end }

  func wait(in session: Session) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isResumed = state.withLock { state in
          if !state.isResumed { state.continuation = continuation }
          defer { state.isResumed = false }
          return state.isResumed
        }
        if isResumed { continuation.resume() }
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
      session.interrupt()
    }
  }

  /// Ends the wait that goes on, or else the next one.
  func resume() {
    let continuation = state.withLock { state in
      if state.continuation == nil { state.isResumed = true }
      return state.continuation.take()
    }
    continuation?.resume()
  }
}
