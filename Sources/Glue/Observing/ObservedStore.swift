public import Observation
import Synchronization

/// Makes a store observable, for SwiftUI views and for `withObservationTracking`.
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
/// - A property is observed as the state stores it: reading `counter.user.name` observes `user`. If
///   the property is `Equatable`, only commits that change it notify observers; otherwise all do.
/// - Reading a computed property observes the state that it is computed from: reading `list[2]` of
///   an observed list, or `counter.isEven`, observes the whole state. So the store never evaluates
///   an element that is gone, or a property that no reader asked for.
/// - Observers are notified on the main actor, independent of the dispatching thread.
///   ``dispatch(_:)`` notifies them of its changes before it returns, unless the store delivers
///   elsewhere or another thread is delivering. Then, and for intents dispatched to the store
///   itself, a task notifies them. Changes between two turns of the main actor notify once.
/// - `Observation` announces changes before they happen. Here the commit comes first: in `onChange`
///   the store already has the new value. SwiftUI reads when it draws, so it sees no difference.
///   Code that compares the old value with the new one must keep the old one.
///
/// The first read of a property subscribes to it until its next change has notified its observers;
/// a later read subscribes anew. Properties that are never read cost nothing. Like every
/// subscription, it holds the last value of an `Equatable` property: while it does, the next change
/// of an array copies that array (G10). The observed store keeps its store alive; nothing that it
/// creates keeps the observed store alive.
@MainActor @dynamicMemberLookup
public final class ObservedStore<State: Sendable>: Observable {
  @usableFromInline let store: Store<State>
  private var observed: [PartialKeyPath<State>: Observed] = [:]

  /// Makes a store observable.
  ///
  /// - Parameter store: the store, which is kept alive.
  public init(_ store: Store<State>) {
    self.store = store
  }

  /// Dispatches an intent; it promises what ``Store/dispatch(_:)`` does.
  ///
  /// Observers of properties whose changes were delivered meanwhile are notified before it returns,
  /// so that the changes belong to an enclosing animation.
  ///
  /// - Parameter intent: what should happen.
  /// - Complexity: that of ``Store/dispatch(_:)``, and O(*n*) in the number of properties
  ///   that are observed.
  public func dispatch(_ intent: any Intent) {
    store.dispatch(intent)
    for property in observed.values { property.changes.tell() }
  }

  /// The state, as of the last commit; reading it observes all of it.
  ///
  /// If it is `Equatable`, only commits that change it notify observers; otherwise all do.
  ///
  /// - Complexity: that of ``Store/state``.
  public var state: State {
    observeState()
    return store.state
  }

  /// A property of the state, as of the last commit.
  ///
  /// Reading it observes it, and every commit notifies observers.
  ///
  /// - Parameter keyPath: the path to the property. If it isn't stored there, all of the state is
  ///   observed.
  /// - Complexity: that of ``Store/state``.
  @_alwaysEmitIntoClient
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

  /// A property of the state, as of the last commit.
  ///
  /// Reading it observes it, and commits that change it notify observers.
  ///
  /// - Parameter keyPath: the path to the property. If it isn't stored there, all of the state is
  ///   observed.
  /// - Complexity: that of ``Store/state``.
  @_alwaysEmitIntoClient
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

  /// Records a read of the whole state, which is held only if it can be compared.
  @usableFromInline
  func observeState() {
    observe(\State.self) { changes in
      State.self is any Equatable.Type
        ? store.subscribe(selector: { Whole(state: $0) }, handler: { _ in changes.note() })
        : store.subscribe(selector: { _ in () }, handler: { changes.note() })
    }
  }

  /// Records a read of a property, and subscribes to it unless it is observed.
  ///
  /// The caller reads after this, so that it can't miss a change in between.
  @usableFromInline
  func observe(
    _ keyPath: PartialKeyPath<State>, subscribe: (PropertyChanges) -> Subscription
  ) {
    if let property = observed[keyPath] { return property.changes.noteAccess() }
    let changes = PropertyChanges(notifiedBy: store.mainActorCalls(for: .subscribe)) {
      [weak self] changes in self?.letGo(of: keyPath, changes)
    }
    observed[keyPath] = Observed(changes: changes, subscription: subscribe(changes))
    changes.noteAccess()
  }

  /// Ends a subscription, unless another one has replaced it.
  private func letGo(of keyPath: PartialKeyPath<State>, _ changes: PropertyChanges) {
    if observed[keyPath]?.changes === changes { observed[keyPath] = nil }
  }
}

/// A state whose type, if it is `Equatable`, says whether it has changed.
private struct Whole<State: Sendable>: Equatable, Sendable {
  let state: State

  static func == (a: Self, b: Self) -> Bool { areEqual(a.state, b.state) }
}

/// An observed property.
private struct Observed {
  let changes: PropertyChanges

  /// Ends the subscription when released; the subscriber holds `changes`, which must not hold this.
  let subscription: Subscription
}

/// Notifies the observers of a property of its next change, once.
///
/// It has a registrar of its own, so that one constant key path serves all properties.
@MainActor @usableFromInline
final class PropertyChanges: Observable {
  private let registrar = ObservationRegistrar()

  /// Whether the subscriber got its first value.
  nonisolated private let hasBegun = Atomic(false)

  /// Whether a change has been recorded and not yet reported.
  nonisolated private let isDue = Atomic(false)

  nonisolated private let calls: MainActorCalls

  /// Is called when the observers have been notified.
  private let onEnd: @MainActor (PropertyChanges) -> Void

  init(
    notifiedBy calls: MainActorCalls, onEnd: @escaping @MainActor (PropertyChanges) -> Void
  ) {
    (self.calls, self.onEnd) = (calls, onEnd)
  }

  /// Registers the current reader, if it tracks its reads, for the next change.
  func noteAccess() {
    registrar.access(self, keyPath: \.itself)
  }

  /// Records a subscriber's call, on any thread: those after the first report changes.
  @usableFromInline
  nonisolated func note() {
    if !hasBegun.exchange(true, ordering: .relaxed) { return }
    if isDue.exchange(true, ordering: .acquiringAndReleasing) { return }
    calls.notify { self.tell() }
  }

  /// Notifies the observers of a recorded change.
  func tell() {
    if !isDue.exchange(false, ordering: .acquiringAndReleasing) { return }
    onEnd(self)
    registrar.withMutation(of: self, keyPath: \.itself) {}
  }

  /// The target of the key path, which is never read.
  private var itself: Void { () }
}
