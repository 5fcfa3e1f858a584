// The way of an intent, from `dispatch` to the return of its effect's handler:
//
//  1. `dispatch` passes it through the chain of middleware,          Store/Middleware.swift
//     if there is one, which was made with the store.                Store/StoreLink.swift
//  2. `commit` locks the store, and the reducer changes the state.
//     What a cancelled effect sends is dropped. Where monitors or a
//     journal watch, `commitObserved` tells them.                    Store/Committing.swift
//  3. `notify` goes through the subscribers;                         Store/Core.swift
//     `examine` compares a subscriber's value with its last one, and
//     queues a call if it has changed.                               Store/Observer.swift
//  4. `queueEffects` queues the effects: for synchronous handlers as
//     they are;                                                      Store/Core.swift
//     others as a `Run` each; `CancelEffects` is carried out here;   Effects/Emitting.swift
//     its policy may have others cancelled, or drop the effect.      Effects/PolicyRules.swift
//  5. `takeDuty`: if nobody delivers, this call does from now on, and
//     unlocks with a batch                                           Store/Delivering.swift
//     of what is queued.                                             Delivery/Outbox.swift
//  6. `carryOut` releases what nobody keeps,                         Support/Releasing.swift
//     and has the batch delivered here, where it hands over to another
//     thread after 1,000 deliveries for others (G12),                Store/Delivering.swift
//     or where the store's `Delivery` says.                          Store/PostedDelivery.swift
//  7. `deliver` makes call after call of the batch:                  Delivery/Batch.swift
//     a subscriber is told,                                          Store/Observer.swift
//     synchronous handlers are called, or a `Run` has its turn.      Effects/EffectRunner.swift
//  8. In its turn an effect starts, or waits, for a time or others.  Effects/PolicyRules.swift
//  9. The runner makes a task for each asynchronous handler.         Effects/EffectRunner.swift
//     What that dispatches goes the same way, with its `Origin`.     Effects/Origin.swift
// 10. When all its handlers have returned, those that have waited for it
//     are queued for their turn, 5,                                  Effects/Ending.swift
//     and who waits until nothing is going on is told.               Store/Waiting.swift
//
// Beside the way:
//
//   - how many deliveries are made for others, and whether a delivery
//     is sure to run what it is given                                Delivery/Delivery.swift
//   - a call on the main actor, at once or moved                     Delivery/MainActorCalls.swift
//   - a subscriber's call on a queue                                 Store/MovingCalls.swift
//   - beginning and ending a subscription                            Store/Subscribing.swift
//   - adding a handler                                               Store/AddingHandlers.swift
//   - sleeping, for effects that wait for a time                     Effects/Timekeeper.swift
//   - effects that last                                              Effects/LastingEffect.swift
//   - `perform`, `settled`, `delivered`                              Store/Waiting.swift
//     what an intent has caused, until nobody holds it               Effects/Activity.swift
//   - `shutdown`, for the store                                      Store/Shutdown.swift
//     and for its effects                                            Effects/EffectShutdown.swift
//   - the end of the store, with its tasks                           Store/EndOfStore.swift
//   - how an effect's `Origin` gets through middleware               Store/ChainCall.swift
//   - what a journal hears and holds up                              Store/Journaling.swift
//   - problems, declared and told                                    Model/Problem.swift
//                                                                    Effects/ProblemReport.swift
//   - what stops the program, with what it says                      Support/Misuse.swift

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
/// the child of a `fork`, only `exec`. On Linux, a thread that waits while another one reduces or
/// delivers doesn't lend it its priority.
public final class Store<State: Sendable>: Sendable {
  @usableFromInline let reducer: Reducer<State>
  @usableFromInline let core: Guarded<Core<State>>
  @usableFromInline let delivery: Delivery
  @usableFromInline let clock: any Clock<Duration>

  /// The middleware around the reducer; nil where there is none.
  @usableFromInline let chain: DispatchFunc?
  @usableFromInline let link: StoreLink<State>?
  @usableFromInline let monitors: [any Monitor<State>]

  /// Tells of problems; nil where nobody looks for any.
  @usableFromInline let report: (@Sendable (Problem) -> Void)?

  /// Ends what goes on when the store is gone.
  ///
  /// It is a function that is formed where `State` is known, for the deinit of a generic class does
  /// not know it: looking up the types would cost more than all the rest of a store's end.
  @usableFromInline let ending: @Sendable (Store<State>) -> Void

  /// Makes a store from a reducer of all intents.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - monitors: are told of every commit.
  ///   - lasting: says which effects last, of which state; see ``LastingEffect``. It runs where the
  ///     reducer does, after each commit, and must be as pure (G7).
  ///   - delivery: where subscribers and effect handlers are called.
  ///   - clock: what effects with a policy wait on.
  ///   - report: is told of each ``Problem``; without it, debug builds print them.
  @inlinable
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil
  ) {
    self.init(
      state: state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report
    ) { _ in }
  }

  /// Makes a store that somebody prepares before what a middleware has started can use it.
  @inlinable
  package init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>],
    monitors: [any Monitor<State>], lasting: (@Sendable (State) -> [LastingEffect])?,
    delivery: Delivery, clock: any Clock<Duration>, report: (@Sendable (Problem) -> Void)?,
    prepare: (Store) -> Void
  ) {
    self.reducer = reducer
    self.delivery = delivery
    self.clock = clock
    self.monitors = monitors
    self.report = report ?? defaultReport
    ending = { $0.end() }
    link = middleware.isEmpty ? nil : StoreLink()
    chain = link?.chain(of: middleware)
    core = Guarded(Core(state: state, outbox: Outbox(for: delivery)))
    if !monitors.isEmpty || lasting != nil || self.report != nil {
      attach(monitors, lasting, self.report)
    }
    prepare(self)
    link?.attach(self)
  }

  deinit {
    ending(self)
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

  /// Runs `body`, in which the user's code may run, with the lock held (G7).
  ///
  /// What else `body` would release of the user's (old values, removed closures) it must hand out
  /// alive, for a deinit may use the store (G6).
  @inlinable
  func locked<Result: Sendable>(
    _ call: StoreCall, _ body: (inout Core<State>, ThreadID) -> Result
  ) -> Result {
    let thread = currentThread()
    return core.withLock(by: thread, ifHeld: { stopForUseWhileReducing(call) }) {
      body(&$0, thread)
    }
  }
}
