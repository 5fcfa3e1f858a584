// Stores that begin at the end of a block of handlers.

extension Store {
  /// Creates a store that begins when a block has added its handlers and subscribers.
  ///
  ///     let store = Store(
  ///       state: Tower(), reducer: tower, lasting: watching,
  ///       handlers: { store in
  ///         store.on(WatchEffect.self) { effect, dispatch in await watch(effect, dispatch) }
  ///         store.add(effectHandler: AlarmHandler())
  ///         store.dispatch(TowerIntent.began)
  ///       })
  ///
  /// Use this form where effects can begin before the first intent from outside: with `lasting:`,
  /// with a journal, and with middleware that dispatches. Otherwise the first effects can miss
  /// handlers that later lines add.
  ///
  /// The block's intents are reduced at once (G2), but nothing is delivered and nothing starts until
  /// the block has returned. Then everything begins at one instant, for any order of its lines:
  ///
  /// 1. Monitors get the commits so far.
  /// 2. Each subscriber gets one value, that of the state at this instant. So an intent such as
  ///    `began`, which resets what a recovered state can't know, is reduced before anything else
  ///    sees the state.
  /// 3. The effects of the commits so far go to all handlers, in the order of the commits. Policies
  ///    and ``CancelEffects`` act in that order too.
  /// 4. The effects that last now begin. The block's asynchronous thunks follow. With a journal, the
  ///    effects that an earlier process hasn't finished are last.
  ///
  /// Other threads can use the store in the meantime. Their calls count as the block's, and
  /// ``delivered()``, ``settled()``, ``perform(_:)`` and ``shutdown()`` wait for its end. So the
  /// block must not wait for them.
  ///
  /// Write the label. The block can also be a trailing closure, but the compiler can take that for
  /// `lasting:` or `report:`. It then reports a mistake in one of the lines as another: it says that
  /// the state, or a problem, has no member `on`.
  ///
  /// A handler that is not `Sendable` must be created in the block. Where one from outside is added,
  /// the compiler says "sending 'handler' risks causing data races".
  ///
  /// The other parameters are those of
  /// ``init(state:reducer:middleware:monitors:lasting:delivery:clock:report:)-(_,Reducer<State>,_,_,_,_,_,_)``.
  ///
  /// - Throws: the block's error. The store then takes no effects: its commits are recorded and
  ///   delivered without them.
  @_alwaysEmitIntoClient
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    handlers: (Store) throws -> Void
  ) rethrows {
    self.init(
      state: state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report
    ) { store in store.holdBack() }
    try begin(with: handlers)
  }

  /// Creates a store with a reducer of one type of intents, which begins when a block has added its
  /// handlers and subscribers.
  ///
  /// Other intents change nothing.
  @_alwaysEmitIntoClient
  public convenience init<I: Intent>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [], monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    handlers: (Store) throws -> Void
  ) rethrows {
    try self.init(
      state: state, reducer: erased(reducer), middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report, handlers: handlers)
  }
}

// MARK: - The end of the block

extension Store {
  /// Calls a block of handlers, and lets the store begin when it has returned.
  @_alwaysEmitIntoClient
  package func begin(with handlers: (Store) throws -> Void) rethrows {
    do { try handlers(self) } catch {
      begin(takingEffects: false)
      throw error
    }
    begin(takingEffects: true)
  }

  /// Holds back everything that would begin, until ``begin(with:)``.
  @_alwaysEmitIntoClient
  package func holdBack() {
    let thread = currentThread()
    core.withLock { $0.runtime.holdBack(by: thread) }
  }

  /// Holds a commit back until the store begins.
  @_alwaysEmitIntoClient @inline(never)
  func hold(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], _ needsCause: Bool,
    in scope: PerformScope?, _ change: LastingChange?, _ before: State?, _ core: inout Core<State>
  ) {
    let observe = before.map { before -> @Sendable (CommitDetails?) -> Void in
      { [monitors, number = core.runtime.commits, after = core.state] details in
        let commit = Commit(
          number: number, intent: intent, cause: cause, effects: effects, details: details,
          before: before, after: after)
        for monitor in monitors { monitor.observe(commit) }
      }
    }
    core.runtime.hold(
      HeldCommit(
        number: core.runtime.commits, effects: effects, needsCause: needsCause, scope: scope,
        change: change, observe: observe))
  }

  /// Enqueues what was held back, with all handlers and subscribers, at one instant.
  ///
  /// The outbox has the log's records already.
  @_alwaysEmitIntoClient
  func begin(takingEffects takesEffects: Bool) {
    change(.subscribe) { core, thread in
      let commits = core.runtime.endHold(takingEffects: takesEffects)
      if core.runtime.isMute { return }
      for commit in commits { core.runtime.enqueueObservation(of: commit, by: thread) }
      core.notify(by: thread)
      for commit in commits {
        core.runtime.commits = commit.number  // the effects' causes have it
        enqueueEffects(
          commit.effects, needsCause: commit.needsCause, in: commit.scope, &core, by: thread)
      }
      if core.runtime.isObserved { core.beginEffects(by: thread) }
    }
  }
}

extension Core {
  /// Begins the lasting effects, and the leftover ones after them.
  @usableFromInline
  mutating func beginEffects(by thread: ThreadID) {
    if !runtime.effects.isOpen { return }
    if !runtime.effects.events.isEmpty { runtime.enqueueEvents(ofCommit: true, by: thread) }
    if let lasting {
      checkForUnhandled(lasting)
      runtime.begin(lasting.active, by: thread)
    }
    runtime.resumeEffects()
  }
}

extension StoreRuntime {
  /// Holds back everything that would begin.
  ///
  /// Commits are observed until it ends, and the creating thread has the drainer's part, so all
  /// callers only enqueue.
  @usableFromInline
  mutating func holdBack(by thread: ThreadID) {
    let extras = effects.useExtras()
    (extras.heldBack, extras.observesForBlock) = ([], !isObserved)
    extras.wasResumed = true
    isObserved = true
    outbox.hold(by: thread)
  }

  @usableFromInline
  func hold(_ commit: HeldCommit) { effects.extras?.heldBack?.append(commit) }

  /// Passes a commit on to the monitors, if there are any.
  @usableFromInline
  mutating func enqueueObservation(of commit: HeldCommit, by thread: ThreadID) {
    guard let observe = commit.observe else { return }
    let details = details(of: commit.effects, commit.change)
    outbox.append({ observe(details) }, by: thread)
  }

  /// Returns the commits that were held back, whose consequences are no longer.
  @usableFromInline
  mutating func endHold(takingEffects takesEffects: Bool) -> [HeldCommit] {
    outbox.endHold()
    if !takesEffects { effects.close() }
    guard let extras = effects.extras, let commits = extras.heldBack.take() else { return [] }
    if extras.observesForBlock { isObserved = false }
    if !commits.isEmpty { effects.release(commits) }
    return commits
  }
}
