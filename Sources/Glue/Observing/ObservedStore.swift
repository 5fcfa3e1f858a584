public import Observation
import Synchronization

/// A window on a store for SwiftUI views, and for `withObservationTracking` anywhere.
///
/// Reading a property of the state observes that property alone. A SwiftUI view that holds an
/// observed store is drawn again when a property changes that its body has read:
///
///     let counter = ObservedStore(store)
///     withObservationTracking {
///       print(counter.value)  // that is counter.state.value
///     } onChange: {
///       print("the value changes")
///     }
///     counter.dispatch(CounterIntent.add(1))
///
/// - Reads go to the store, so they are always current (G2).
/// - A property is observed as it stands in the state: reading `counter.user.name` observes `user`.
///   If it is `Equatable` only commits that change it are told, otherwise all of them are.
/// - What is computed is observed as the state that it is computed from: reading `list[2]` of an
///   observed list, or `counter.isEven`, observes the whole state. So nothing is asked for an
///   element that is gone, or for what a reader would not have asked for.
/// - Changes are told on the main actor, whichever thread dispatches. What ``dispatch(_:)`` changes
///   here is told before it returns, unless the store delivers elsewhere or another thread is
///   delivering; then, and for intents dispatched to the store itself, it is told by a task of its
///   own. Changes between two turns of the main actor are told once.
/// - `Observation` speaks of values that will change. Here the commit comes first: in `onChange`
///   the store has the new value already. SwiftUI, which reads when it draws, cannot tell the
///   difference; who compares the old with the new has to keep the old.
///
/// The first read of a property subscribes to it, until its next change is told, when nobody tracks
/// it any more; whoever reads it then subscribes anew. Properties that nobody reads cost nothing. Of
/// an `Equatable` property the value is held, as by every subscriber: while it is, the next change
/// of an array copies it (G10). The observed store keeps its store alive, and nothing that it makes
/// keeps it alive.
@MainActor @dynamicMemberLookup
public final class ObservedStore<State: Sendable>: Observable {
  @usableFromInline let store: Store<State>
  private var observed: [PartialKeyPath<State>: Observed] = [:]

  /// Makes a window on a store.
  ///
  /// - Parameter store: the store, which is kept alive.
  public init(_ store: Store<State>) {
    self.store = store
  }

  /// Dispatches an intent; it promises what ``Store/dispatch(_:)-(Intent)`` does.
  ///
  /// Changes of observed properties that were delivered meanwhile are told before it returns, so
  /// that they belong to an animation that encloses the call.
  ///
  /// - Parameter intent: what should happen.
  /// - Complexity: that of ``Store/dispatch(_:)-(Intent)``, and O(*n*) in the number of properties that are
  ///   observed.
  public func dispatch(_ intent: any Intent) {
    store.dispatch(intent)
    for property in observed.values { property.changes.tell() }
  }

  /// The state, as of the last commit; reading it observes all of it.
  ///
  /// If it is `Equatable` only commits that change it are told, otherwise all of them are.
  ///
  /// - Complexity: that of ``Store/state``.
  public var state: State {
    observeState()
    return store.state
  }

  /// A property of the state, as of the last commit; reading it observes it, and every commit is
  /// told.
  ///
  /// - Parameter keyPath: where the property is. If it is not stored there, all of the state is
  ///   observed.
  /// - Complexity: that of ``Store/state``.
  @inlinable
  public subscript<Value: Sendable>(
    dynamicMember keyPath: any KeyPath<State, Value> & Sendable
  ) -> Value {
    if MemoryLayout<State>.offset(of: keyPath) == nil {
      observeState()
    } else {
      observe(keyPath) { changes in
        store.subscribe(selector: { _ in () }, handler: { changes.note() })
      }
    }
    return store.state[keyPath: keyPath]
  }

  /// A property of the state, as of the last commit; reading it observes it, and commits that
  /// change it are told.
  ///
  /// - Parameter keyPath: where the property is. If it is not stored there, all of the state is
  ///   observed.
  /// - Complexity: that of ``Store/state``.
  @inlinable
  public subscript<Value: Sendable & Equatable>(
    dynamicMember keyPath: any KeyPath<State, Value> & Sendable
  ) -> Value {
    if MemoryLayout<State>.offset(of: keyPath) == nil {
      observeState()
    } else {
      observe(keyPath) { changes in
        store.subscribe(selector: { $0[keyPath: keyPath] }, handler: { _ in changes.note() })
      }
    }
    return store.state[keyPath: keyPath]
  }

  /// Notes that all of the state is read; it is held only where it can be compared.
  @usableFromInline
  func observeState() {
    observe(\State.self) { changes in
      State.self is any Equatable.Type
        ? store.subscribe(selector: { Whole(state: $0) }, handler: { _ in changes.note() })
        : store.subscribe(selector: { _ in () }, handler: { changes.note() })
    }
  }

  /// Notes that a property is read, and subscribes to it unless it is observed.
  ///
  /// The caller reads after this, so that no change can come in between unseen.
  @usableFromInline
  func observe(
    _ keyPath: PartialKeyPath<State>, subscribe: (PropertyChanges) -> Subscription
  ) {
    if let property = observed[keyPath] { return property.changes.noteAccess() }
    let changes = PropertyChanges { [weak self] changes in self?.letGo(of: keyPath, changes) }
    observed[keyPath] = Observed(changes: changes, subscription: subscribe(changes))
    changes.noteAccess()
  }

  /// Ends a subscription, unless it has been replaced by another.
  private func letGo(of keyPath: PartialKeyPath<State>, _ changes: PropertyChanges) {
    if observed[keyPath]?.changes === changes { observed[keyPath] = nil }
  }
}

/// A state whose type, which is `Equatable`, says whether it has changed.
private struct Whole<State: Sendable>: Equatable, Sendable {
  let state: State

  static func == (a: Self, b: Self) -> Bool { areEqual(a.state, b.state) }
}

/// A property that is observed.
private struct Observed {
  let changes: PropertyChanges

  /// What its release ends; the subscriber holds `changes`, which therefore must not hold this.
  let subscription: Subscription
}

/// Tells those who observe a property that it has changed, once: then they observe it no more.
///
/// It has a registrar of its own, so that one constant key path serves all properties.
@MainActor @usableFromInline
final class PropertyChanges: Observable {
  private let registrar = ObservationRegistrar()

  /// Whether the subscriber has been told the value that it began with.
  nonisolated private let hasBegun = Atomic(false)

  /// Whether a change has been noted and not told yet.
  nonisolated private let isDue = Atomic(false)

  /// Is called when they are told.
  private let onEnd: @MainActor (PropertyChanges) -> Void

  init(onEnd: @escaping @MainActor (PropertyChanges) -> Void) {
    self.onEnd = onEnd
  }

  /// Has the current reader, if it tracks what it reads, told of the next change.
  func noteAccess() {
    registrar.access(self, keyPath: \.itself)
  }

  /// Notes a call to the subscriber, on any thread: those after the first have changes told.
  @usableFromInline
  nonisolated func note() {
    if !hasBegun.exchange(true, ordering: .relaxed) { return }
    if isDue.exchange(true, ordering: .acquiringAndReleasing) { return }
    Task { @MainActor in tell() }
  }

  /// Tells of what has been noted.
  func tell() {
    if !isDue.exchange(false, ordering: .acquiringAndReleasing) { return }
    onEnd(self)
    registrar.withMutation(of: self, keyPath: \.itself) {}
  }

  /// What the key path leads to; nobody reads it.
  private var itself: Void { () }
}
