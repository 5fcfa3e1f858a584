/// Holds a program's state, changes it by a pure reducer, and notifies subscribers and effect
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
/// - A commit's deliveries are the calls to subscribers whose value it changed, in order of
///   subscription. Then come its effects in array order, each to all handlers in order of
///   registration. All of a commit's come before any of the next one's, and one is made at a time
///   (G3). The store's ``Delivery`` says where they are made. Each must return: a handler that ends
///   its thread ends the store's deliveries.
/// - No lock is held meanwhile (G6), nor while the store releases user values. Chains of dispatches
///   from deliveries, from the `onCancel` of canceled tasks, and from deinits of released values
///   use constant stack at any length (G5).
///
/// Nothing that the store creates keeps it alive, except a delivery in flight. If the last
/// reference is released during one, the delivery finishes first, and the delivering thread
/// releases the store (G9). It then releases its handlers, on that thread.
///
/// A store is not async-signal-safe: turn signals into intents by a `DispatchSource` or a pipe. In
/// the child of a `fork`, only call `exec`. On Linux, a thread that waits for another one's
/// reduction or delivery doesn't lend it its priority.
public final class Store<State: Sendable>: Sendable {
  @usableFromInline let reducer: Reducer<State>
  @usableFromInline let core: Locked<Core<State>>
  @usableFromInline let delivery: Delivery
  @usableFromInline let timer: Timer

  /// The middleware around the reducer; nil if there is none.
  ///
  /// Sound: it is written while the store is created, which is before any thread can use it.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var middleware: Chain<State>?

  /// Ends all work when the store is released.
  ///
  /// A closure formed where `State` is known, because the deinit of a generic class doesn't know
  /// it: looking up the types would cost more than the rest of the release.
  @usableFromInline let ending: @Sendable (Store<State>) -> Void

  /// Creates a store with a reducer of all intents.
  ///
  /// The reducer and the middleware can't be replaced: let one that must vary look at the state, or
  /// at a value that it captures.
  ///
  /// - Parameters:
  ///   - state: the initial state.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - monitors: observe every commit.
  ///   - lasting: derives the effects that last from the state; see ``LastingEffect``. It runs
  ///     where the reducer does, after each commit, and must be as pure (G7).
  ///   - delivery: where subscribers and effect handlers are called.
  ///   - clock: the clock on which effects with a policy wait.
  ///   - report: gets each ``Problem``; without it, debug builds print them.
  @_alwaysEmitIntoClient
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil
  ) {
    self.init(
      state: state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report, first: [])
  }

  /// Creates a store with a reducer of one type of intents; others change nothing.
  @_alwaysEmitIntoClient
  public convenience init<I: Intent>(
    state: State,
    reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil,
    delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (Problem) -> Void)? = nil
  ) {
    self.init(
      state: state, reducer: erased(reducer), middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report)
  }

  /// Creates a store, which is complete when other threads, and its own deliveries, can use it.
  ///
  /// It has no handlers if the program adds them later.
  @_alwaysEmitIntoClient
  package init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>],
    monitors: [any Monitor<State>], lasting: (@Sendable (State) -> [LastingEffect])?,
    delivery: Delivery, clock: any Clock<Duration>, report: (@Sendable (Problem) -> Void)?,
    first: [any Intent] = [], handlers: EffectHandlers? = nil, continuing start: LogStart? = nil
  ) {
    self.reducer = reducer
    let timer = makeTimer(on: clock)
    self.timer = timer
    self.delivery = delivery.on(timer)
    ending = { $0.end() }
    core = Locked(Core(state: state, outbox: Outbox(for: delivery)))
    let report = report ?? defaultReport
    if let report { look(report: report) }
    let thread = currentThread()
    var next = AfterUnlock()
    if !monitors.isEmpty || lasting != nil || handlers != nil || start != nil {
      next = begin(first, with: handlers, monitors, lasting, start, on: thread)
    }
    if !middleware.isEmpty {
      let api = MiddlewareAPI(self)
      api.complete(by: thread) {
        self.middleware = Chain(of: middleware, api)
      }
    }
    finish(next, on: thread)
  }

  deinit {
    ending(self)
  }

  /// The state, as of the last commit.
  ///
  /// It includes each intent whose `dispatch` has returned, on any thread (G2). It is a copy: as
  /// long as it is kept, the next change of a collection in it copies that collection (G10).
  ///
  /// - Complexity: O(1), and the cost of copying a `State`.
  @_alwaysEmitIntoClient
  public var state: State {
    read(.state) { $0.state }
  }

  /// Reduces an intent at once, and delivers the consequences.
  ///
  /// When it returns, on any thread and from any context, ``state`` includes the intent (G2): the
  /// reduction waits for no handler and no subscriber. The state is changed in place (G10).
  ///
  /// With ``Delivery/immediate`` and one thread, everything that it caused has been delivered as
  /// well. If another thread is delivering, or this one is (the call comes from a handler or subscriber), that drainer makes
  /// the deliveries. A drainer also makes the deliveries caused by other threads, in order, but at
  /// most 1,000 of them; then another thread takes over (G12). A program that ends then ends without
  /// the rest, unless it awaits ``shutdown()``. The queue of deliveries has no bound: a producer that
  /// is faster than the deliveries should await ``delivered()`` now and then.
  ///
  /// Because intents of any type are accepted, `store.dispatch(.increment)` doesn't compile: "type
  /// 'any Intent' has no member 'increment'". Name the type, or use a view, which knows it:
  ///
  ///     let app = store.view(of: \.self, intent: AppIntent.self)
  ///     app.dispatch(.increment)
  ///
  /// - Parameter intent: what should happen. If the reducer does not know its type, it changes
  ///   nothing, which debug builds report as a ``Problem``.
  /// - Complexity: that of the reducer and of each subscriber's selector and `==`; O(1) for each
  ///   delivery. If nothing is to be delivered, no memory is allocated, unless a selector made a
  ///   value of more than three words that holds references.
  @_alwaysEmitIntoClient
  public func dispatch(_ intent: any Intent) {
    dispatch(intent, from: nil)
  }

  /// Reads the guarded state.
  ///
  /// `body` must return user values that it would otherwise release, because a deinit may use the
  /// store (G6). The call must not come from the store's own reducer (G7).
  @_alwaysEmitIntoClient
  func read<Result: Sendable>(
    _ call: StoreCall, _ body: (inout Core<State>) -> Result
  ) -> Result {
    core.withLock(by: currentThread(), ifHeld: { stopForUseWhileReducing(call) }, body)
  }

  /// Changes the guarded state, and does the work after unlocking.
  @_alwaysEmitIntoClient
  func change<Result: Sendable>(
    _ call: StoreCall = .dispatch, _ body: (inout Core<State>, ThreadID) -> Result
  ) -> Result {
    let thread = currentThread()
    let (result, next) = core.withLock(
      by: thread, ifHeld: { stopForUseWhileReducing(call) }
    ) { core in
      let result = body(&core, thread)
      return (result, core.runtime.afterUnlock(on: thread))
    }
    finish(next, on: thread)
    return result
  }
}
