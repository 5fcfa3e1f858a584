public import Glue

extension Store where State: Codable {
  /// Makes a store that continues where the journal ends, or begins one.
  ///
  /// The store starts with the state from replaying the journal with `reducer`. It uses `state`
  /// only if nothing is recorded. Each commit is as durable as the journal says before the store
  /// notifies anything of it (J3). `monitors` get the commits from now on.
  ///
  /// The thread on which `delivery` calls handlers writes the journal. The journal serves this
  /// store alone. It doesn't record `lasting` effects, because they follow from the state. In all
  /// other respects, and without a journal, the store is like any other.
  ///
  /// - Throws: ``JournalError`` if there is no journal yet and none can be made, or if the reducer
  ///   departs from the recording and the journal has ``OnDivergence/refuse``.
  /// - Complexity: that of reducing the commits recorded since the newest state.
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    journal: Journal<State>?
  ) throws {
    let begun = try journal.map { try $0.core.begun(with: state, reducer, clock) }
    self.init(
      state: begun?.state ?? state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report
    ) { store in
      if let begun { journal?.core.begin(begun.writer, for: store) }
    }
  }

  /// Makes a store with a journal from a reducer of one type of intents.
  ///
  /// Other intents change nothing.
  @inlinable
  public convenience init<I: Intent>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [], monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    journal: Journal<State>?
  ) throws {
    try self.init(
      state: state, reducer: withKey(\.self, use: reducer), middleware: middleware,
      monitors: monitors, lasting: lasting, delivery: delivery, clock: clock, report: report,
      journal: journal)
  }
}

extension Store where State: Codable {
  /// Makes a store that continues where the journal ends, and begins when a block has added its
  /// handlers and subscribers.
  ///
  ///     let store = try Store(
  ///       state: Desk(), reducer: desk, journal: journal,
  ///       handlers: { store in
  ///         store.add(effectHandler: Mailer())
  ///         store.dispatch(DeskIntent.began)
  ///       })
  ///
  /// At the end of the block everything begins at one instant. The effects that an earlier process
  /// has not finished come last, so the block need not call ``resumeUnfinishedEffects()``.
  ///
  /// - Throws: ``JournalError``, or the block's error. The store then takes no effects, its commits so
  ///   far are recorded, and the journal is closed.
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    journal: Journal<State>?, handlers: (Store) throws -> Void
  ) throws {
    let begun = try journal.map { try $0.core.begun(with: state, reducer, clock) }
    self.init(
      state: begun?.state ?? state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report
    ) { store in
      if let begun { journal?.core.begin(begun.writer, for: store) }
      store.holdBack()
    }
    do { try begin(with: handlers) } catch {
      // Posted deliveries may keep the store, which must not keep the directory.
      if let core = journal?.core, let last = muteNow() {
        core.end(with: last.state, after: last.commit)
      }
      throw error
    }
  }

  /// Makes a store with a journal from a reducer of one type of intents, which begins when a block
  /// has added its handlers and subscribers.
  ///
  /// Other intents change nothing.
  @inlinable
  public convenience init<I: Intent>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [], monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    journal: Journal<State>?, handlers: (Store) throws -> Void
  ) throws {
    try self.init(
      state: state, reducer: withKey(\.self, use: reducer), middleware: middleware,
      monitors: monitors, lasting: lasting, delivery: delivery, clock: clock, report: report,
      journal: journal, handlers: handlers)
  }
}

extension Store where State: Codable {
  /// Starts the effects that must happen and that the last process has not finished (J10).
  ///
  /// A store with a block of `handlers:` does this at the end of the block. For any other store, call
  /// it after you have added the handlers. It starts the effects in the order of their
  /// emission, each by its policy. One with ``/Glue/EffectPolicy/delay(_:)`` waits for the rest of
  /// its time. A second call starts the effects that had no handler before.
  ///
  /// Before the call ``/Glue/CancelEffects`` and policies see these effects, but
  /// ``/Glue/Store/settled()`` does not wait for them. Without a journal it does nothing.
  public func resumeUnfinishedEffects() {
    resumeEffects()
  }

  /// The older name of ``/GlueJournal/Glue/Store/resumeUnfinishedEffects()``.
  public func resume() { resumeUnfinishedEffects() }
}

extension JournalCore {
  /// Recovers the state that a store starts with.
  ///
  /// If that fails for good, it closes the journal.
  fileprivate func begun<State: Codable & Sendable>(
    with initial: State, _ reducer: @escaping Reducer<State>, _ clock: any Clock<Duration>
  ) throws -> (state: State, writer: Writer) {
    if isNew { try check(initial) }
    let found = try take()
    do {
      let replay = try found.map { try self.replay($0.recorded, reducer) }
      let state = replay?.state ?? initial
      let writer = Writer(self, found, left: replay?.left ?? [:])
      // A log and the state before it have one version, so a new journal, or one of an older
      // version, begins both here.
      if found?.recorded.isOld != false {
        let record = try writer.beginLog(after: state)
        try writer.sync()
        writer.noteState(after: writer.commit, size: try place(record))
      }
      if writer.stateSize <= options.largestDigested {
        _ = try? digest(of: state)
        // The first write carries a digest, however long this first one took.
        queue.withLock { $0.digests.last = 0 }
      }
      directory.files.noteStore(on: clock, after: found == nil ? nil : writer.commit)
      return (state, writer)
    } catch {
      free()
      throw error as? JournalError ?? JournalError(directory.path, reason(of: error))
    }
  }

  private func check(_ state: AnyState) throws {
    do { _ = try coding.recoded(state) } catch {
      throw JournalError(
        directory.path,
        "a state of type \(type(of: state)) can't be encoded and decoded again: "
          + reason(of: error))
    }
  }

  private func replay<State>(
    _ recorded: Recorded, _ reducer: @escaping Reducer<State>
  ) throws -> Replay<State> {
    var replay = Replay<State>(of: recorded, coding, isOpening: true, reducer)
    var divergence: Divergence?
    while let step = replay.next() { divergence = divergence ?? step.divergence }
    if let doubt = replay.doubt { options.report("\(directory.path): \(doubt)") }
    guard let divergence else { return replay }
    let text =
      "commit \(divergence.number): the reducer's result differs from the recording; the last "
      + "commit that agreed is \(divergence.lastEqual). \(divergence.difference)"
    directory.files.noteDivergence(text)
    if options.onDivergence == .refuse {
      throw JournalError(directory.path, text + ". The recorded commits are unchanged")
    }
    options.report("\(directory.path): \(text)")
    return replay
  }
}
