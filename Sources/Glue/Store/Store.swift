/// Holds a program's state, changes it by a pure reducer, and tells subscribers and effect
/// handlers.
///
/// Any thread may use a store in any way at any time, except from within its own reducer (G7):
///
///     let store = Store(state: AppState(), reducer: reducer)
///     store.add(effectHandler: SoundEffectHandler())
///     let subscription = store.subscribe(selector: \.value) { print($0) }
///     store.dispatch(AppIntent.increment)
///
/// - Every intent is one commit, even if it changes nothing, and all threads see the commits in one
///   order (G1). `dispatch`, `subscribe`, `add` and `cancel` each take effect at one instant.
/// - The deliveries of a commit are, in this order, the calls to subscribers whose value it
///   changed, in order of subscription, and its effects in array order, each to all handlers in
///   order of registration. All of a commit's come before any of the next one's, and one is made at
///   a time (G3). Where they are made is the store's ``Delivery``.
/// - No lock is held meanwhile (G6), nor while the store releases what was yours, and chains of
///   dispatches made by deliveries and by deinits of what the store releases, however long, use
///   constant stack (G5).
///
/// Nothing the store makes keeps it alive, except a delivery that is under way: when the last
/// reference goes during one, it is finished first, and the store is released by the thread that
/// delivers (G9). It then releases its handlers, on that thread.
///
/// A store is not async-signal-safe: turn signals into intents by a `DispatchSource` or a pipe. In
/// the child of a `fork`, only `exec`.
public final class Store<State: Sendable>: Sendable {
  @usableFromInline let reducer: Reducer<State>
  @usableFromInline let core: Guarded<Core<State>>
  @usableFromInline let delivery: Delivery
  @usableFromInline let clock: any Clock<Duration>

  /// The middleware around the reducer; nil where there is none.
  @usableFromInline let chain: DispatchFunc?
  @usableFromInline let link: StoreLink<State>?
  @usableFromInline let monitors: [any Monitor<State>]

  /// Makes a store from a reducer of all intents.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - monitors: are told of every commit.
  ///   - delivery: where subscribers and effect handlers are called.
  ///   - clock: what effects with a policy wait on.
  @inlinable
  public init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [], delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.reducer = reducer
    self.delivery = delivery
    self.clock = clock
    self.monitors = monitors
    link = middleware.isEmpty ? nil : StoreLink()
    chain = link?.chain(of: middleware)
    core = Guarded(Core(state: state, outbox: Outbox(isImmediate: delivery.isImmediate)))
    if !monitors.isEmpty { watchEffects(for: monitors) }
    link?.attach(self)
  }

  deinit {
    var (state, leftovers) = core.withLock(by: currentThread()) { core in
      core.effects.cancelAll()
      return (core.state, core.effects.leftovers)
    }
    link?.detach(last: state)
    leftovers.finish()
  }

  /// The state, as of the last commit.
  ///
  /// It includes each intent whose `dispatch` has returned, whatever thread did it (G2). It is a
  /// copy: as long as it is kept, the next change of a collection in it copies that collection
  /// (G10).
  ///
  /// - Complexity: O(1), and the cost of copying a `State`.
  @inlinable
  public var state: State {
    locked(.state) { core, _ in core.state }
  }

  /// Reduces an intent at once, and delivers what follows from it.
  ///
  /// When it returns, on any thread and from any context, ``state`` includes the intent (G2): the
  /// reduction waits for no handler and no subscriber. The state is changed in place (G10).
  ///
  /// With ``Delivery/immediate`` and one thread, all that it caused has been delivered as well. If
  /// another thread is delivering, or this one is (the call comes from a handler or subscriber),
  /// the deliveries are left to that one. While it delivers it makes those caused by other threads
  /// too, in order, but at most 1,000 of them; then another thread takes over (G12). A program that
  /// ends then ends without the rest, unless it awaits ``shutdown()``. The queue of deliveries has
  /// no bound: a producer that is faster than the deliveries awaits ``delivered()`` now and then.
  ///
  /// - Parameter intent: what should happen. If the reducer does not know its type, nothing does.
  /// - Complexity: that of the reducer and of each subscriber's selector and `==`; O(1) for each
  ///   delivery. Where nothing is to be delivered no memory is allocated, unless a selector made a
  ///   value of more than three words that holds references.
  @inlinable
  public func dispatch(_ intent: any Intent) {
    dispatch(intent, from: nil)
  }

  /// Adds an object that does the work of effects.
  ///
  /// It gets the effects of the commits that follow, none of earlier ones (G8). The store keeps it
  /// until the store goes, and calls it serially, on the thread that delivers, so it need not be
  /// `Sendable`. See ``EffectHandler`` for what it may do.
  ///
  /// - Parameter effectHandler: the object. Where it is not `Sendable`, nobody else may use it.
  /// - Complexity: O(1), amortised.
  @inlinable
  public func add<H: EffectHandler>(effectHandler: sending H) {
    let handler = effectHandler
    add { handler.handle(effect: $0, dispatch: $1) }
  }

  /// Adds a closure that does the work of one type of effects, as an ``EffectHandler`` would.
  ///
  ///     store.on(AppEffect.self) { effect, dispatch in
  ///       switch effect {
  ///       case .playSound: player.play()
  ///       }
  ///     }
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: is called with each of them and with a function that dispatches. It need not be
  ///     `Sendable`.
  /// - Complexity: O(1), amortised.
  @inlinable
  public func on<E: Effect>(
    _ type: E.Type, handler: sending @escaping (E, @escaping DispatchFunc) -> Void
  ) {
    add(handler: handler)
  }

  @inlinable
  func add<Handled: Sendable>(
    handler: sending @escaping (Handled, @escaping DispatchFunc) -> Void
  ) {
    // Sound: it was sent here, so nobody else has it, and deliveries use it one at a time (G3).
    nonisolated(unsafe) let handler = handler
    let dispatch: DispatchFunc = { [weak self] in self?.dispatch($0) }
    let handling: Handling = .sync { effect, callback in
      guard let effect = handled(effect, as: Handled.self) else { return }
      if let callback { handler(effect, callback.dispatch) } else { handler(effect, dispatch) }
    }
    add(handling)
  }

  @usableFromInline
  func add(_ handling: Handling) {
    _ = runner(for: .add)
    core.withLock { $0.add(handling) }
  }

  /// Runs `body`, in which the user's code may run, with the lock held (G7).
  ///
  /// What else `body` would release of the user's (old values, removed closures) it must hand out
  /// alive, for a deinit may use the store (G6).
  @inlinable
  func locked<Result: Sendable>(
    _ call: StoreCall, _ body: (inout Core<State>, ThreadID) -> Result
  ) -> Result {
    let thread = currentThread()
    if core.isHeld(by: thread) { stopForUseWhileReducing(call) }
    return core.withLock(by: thread) { body(&$0, thread) }
  }
}
