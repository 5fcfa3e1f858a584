/// An event that happens once and that one task waits for.
@usableFromInline
package final class Completion: Sendable {
  private enum Phase {
    case pending
    case awaited(CheckedContinuation<Void, Never>)
    case complete
  }

  private let phase = Locked(Phase.pending)

  package init() {}

  /// Ends the wait; no lock may be held.
  package func complete() {
    let old = phase.withLock { phase in
      let old = phase
      phase = .complete
      return old
    }
    if case .awaited(let continuation) = old { continuation.resume() }
  }

  /// Returns when the event has happened, or when the calling task is canceled.
  package nonisolated(nonsending) func wait() async {
    await withTaskCancellationHandler {
      await waitInAnyCase()
    } onCancel: {
      complete()
    }
  }

  /// Returns when the event has happened, even if the calling task is canceled.
  package nonisolated(nonsending) func waitInAnyCase() async {
    await withCheckedContinuation { continuation in
      let isOver = phase.withLock { phase in
        if case .complete = phase { return true }
        phase = .awaited(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}
