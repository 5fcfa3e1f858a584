internal import Synchronization

/// A body handed to a `Delivery` that runs it later, or inline, or never.
///
/// When a body that runs later has delivered, it posts the next. One that runs inline leaves that to
/// the loop that posted it, so that a chain of inline bodies uses constant stack (G5).
final class PostedDelivery<State: Sendable>: Sendable {
  /// The store, kept alive until the body has run.
  private let store: Guarded<Store<State>?>

  /// The thread that is posting this body; nobody's before and afterwards.
  private let poster = Atomic<ThreadID>(0)

  /// What an inline body leaves to the poster.
  private let hasMore = Atomic(false)

  init(of store: Store<State>) {
    self.store = Guarded(store)
  }

  /// A body that is dropped loses its deliveries; the store goes on with the next commit's.
  deinit {
    takeStore()?.abandonPosted()
  }

  func hasMore(afterPostingBy post: (@escaping @Sendable () -> Void) -> Void) -> Bool {
    poster.store(currentThread(), ordering: .relaxed)
    post { self.run() }
    poster.store(0, ordering: .relaxed)
    return hasMore.load(ordering: .relaxed)
  }

  /// Delivers, the first time it is called.
  private func run() {
    guard let store = takeStore(), store.deliverPosted() else { return }
    if poster.load(ordering: .relaxed) == currentThread() {
      hasMore.store(true, ordering: .relaxed)
    } else {
      store.post()
    }
  }

  private func takeStore() -> Store<State>? {
    store.withLock { $0.take() }
  }
}
