internal import Synchronization

/// A body handed to a `Delivery` that runs it later, or inline, or elsewhere, or never.
///
/// Of the body and the call that posts it, whichever ends last posts the next: bodies that run within
/// the call leave it to the loop that posted them, so that a chain of them uses constant stack (G5),
/// and bodies that run later do it themselves.
final class PostedDelivery<State: Sendable>: Sendable {
  enum Outcome: UInt8, AtomicRepresentable {
    /// The body ended with nothing queued, or it goes on by itself.
    case nothingLeft

    /// The body ended within the call, on the posting thread.
    case moreAfterRunningHere

    /// The body ended within the call, on another thread.
    case moreAfterRunningElsewhere
  }

  private enum Phase: UInt8, AtomicRepresentable {
    case posting
    case posted
    case endedWhilePosting
  }

  /// The store, kept alive until the body has run.
  private let store: Guarded<Store<State>?>

  private let phase = Atomic(Phase.posting)
  private let poster = currentThread()
  private let isInline = Atomic(false)

  init(of store: Store<State>) {
    self.store = Guarded(store)
  }

  /// A body that is dropped loses its deliveries; the store goes on with the next commit's.
  deinit {
    takeStore()?.abandonPosted()
  }

  func outcome(
    ofPostingBy post: (@escaping @Sendable () -> Void) -> Void
  ) -> Outcome {
    post { self.run() }
    if moves(to: .posted) { return .nothingLeft }
    return isInline.load(ordering: .relaxed) ? .moreAfterRunningHere : .moreAfterRunningElsewhere
  }

  /// Delivers, the first time it is called.
  private func run() {
    guard let store = takeStore(), store.deliverPosted() else { return }
    isInline.store(currentThread() == poster, ordering: .relaxed)
    if !moves(to: .endedWhilePosting) { store.post() }
  }

  /// Whether the caller is the first of both to end.
  private func moves(to end: Phase) -> Bool {
    phase.compareExchange(
      expected: .posting, desired: end, ordering: .acquiringAndReleasing
    ).exchanged
  }

  private func takeStore() -> Store<State>? {
    store.withLock { $0.take() }
  }
}
