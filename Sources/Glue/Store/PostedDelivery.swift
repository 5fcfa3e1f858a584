// Deliveries that a store makes elsewhere, by a `Delivery` other than `.immediate`.

internal import Synchronization

extension Store {
  /// Posts body after body to the store's `Delivery`, for as long as they end before it returns; on a
  /// simulated machine it makes immediate deliveries, or leaves them to another thread.
  ///
  /// Bodies that other threads run meanwhile don't delay a thread for long.
  @usableFromInline
  func post() {
    guard let post = delivery.post else {
      return delivery.leavesDelivery?() == true ? handOver() : resumeDraining()
    }
    var elsewhere = 0
    while elsewhere < delivery.limit {
      switch PostedDelivery(of: self).phase(afterPostingBy: post) {
      case .posting, .posted: return
      case .endedHere: continue
      case .endedElsewhere: elsewhere += 1
      }
    }
    delivery.elsewhere { self.post() }
  }

  /// Delivers the pending entries.
  ///
  /// - Returns: whether more entries have been enqueued since. If not, draining has ended.
  func deliverPosted() -> Bool {
    let thread = currentThread()
    let (chunks, drainer) = core.withLock { core in
      (core.runtime.outbox.takeForBody(on: thread), core.runtime.outbox.drainer)
    }
    for chunk in 0..<chunks {
      if chunk > 0 { core.withLock { $0.runtime.outbox.take() } }
      _ = drainer?.deliver()
    }
    return change { core, _ in core.runtime.outbox.endBody() }
  }

  /// Drops the entries of a posted delivery that was released, except a journal's records, and lets
  /// the next commit post again.
  func abandonPosted() {
    let dropped = read(.drop) { $0.runtime.outbox.abandon() }
    let hasLost = dropped.contains { !$0.isMark }
    var lost = [LostDeliveries(dropped)]
    _ = core.withLock { $0.runtime.outbox.drainer }?.deliver()
    let goesOn = change { core, _ in
      // A loop that ends after a shutdown may drop what is left.
      if hasLost && core.runtime.effects.isOpen { core.runtime.effects.report(.lostDeliveries) }
      return core.runtime.outbox.end()
    }
    if goesOn { post() }
    release(&lost)
  }
}

/// A body posted to a `Delivery` that runs it later, or inline, or elsewhere, or never.
///
/// Of the body and the call that posts it, the one that ends last posts the next body. Bodies that
/// run within the call leave that to its loop, so that a chain of them uses constant stack (G5).
/// Bodies that run later post the next one.
///
///     the call                          the body, on another thread
///     posting   post(body) ──────────────▶ runs, delivers
///               post returns               finds more queued
///     posted ◀─ ends first                 ends: phase is posted, so it posts the next
///
///     posting   post(body) ──────────────▶ runs, delivers, finds more queued
///                                          ends first ─▶ endedElsewhere
///               post returns: phase is endedElsewhere, so the call posts the next
final class PostedDelivery<State: Sendable>: Sendable {
  enum Phase: UInt8, AtomicRepresentable {
    /// Neither the call has ended, nor the body with more queued.
    case posting

    /// The call has ended first: if more is queued when the body ends, the body continues.
    case posted

    /// The body has ended first, on the posting thread, with more queued: the call continues.
    case endedHere

    /// The body has ended first, on another thread, with more queued: the call continues.
    case endedElsewhere
  }

  /// The store, kept alive until the body has run.
  private let store: Locked<Store<State>?>

  private let phase = Atomic(Phase.posting)
  private let poster = currentThread()

  init(of store: Store<State>) {
    self.store = Locked(store)
  }

  /// A body that is released without running loses its deliveries; the next commit posts again.
  deinit {
    takeStore()?.abandonPosted()
  }

  /// Posts the body; returns the phase that says which has ended first.
  func phase(afterPostingBy post: (@escaping @Sendable () -> Void) -> Void) -> Phase {
    post { self.run() }
    return move(to: .posted)
  }

  /// Delivers, the first time it is called.
  private func run() {
    guard let store = takeStore(), store.deliverPosted() else { return }
    let end = currentThread() == poster ? Phase.endedHere : .endedElsewhere
    if move(to: end) != end { store.post() }
  }

  /// Sets the phase at an end, unless the other end came first; returns the phase.
  private func move(to end: Phase) -> Phase {
    let (isFirst, noted) = phase.compareExchange(
      expected: .posting, desired: end, ordering: .acquiringAndReleasing)
    return isFirst ? end : noted
  }

  private func takeStore() -> Store<State>? {
    store.withLock { $0.take() }
  }
}

/// Deliveries that are never made.
///
/// deinit ends the effects among them like other releases, so a chain of effects that wait for one
/// another uses constant stack (G5).
private final class LostDeliveries: Sendable {
  private let entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  deinit {
    for case .turn(let run)? in entries.map(\.call) {
      run.host.change { engine in engine.lose(run) }
    }
  }
}
