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
      lasting: lasting, delivery: delivery, clock: clock, report: report,
      continuing: begun?.start)
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
      state: state, reducer: reduce(reducer), middleware: middleware,
      monitors: monitors, lasting: lasting, delivery: delivery, clock: clock, report: report,
      journal: journal)
  }
}

extension Store where State: Codable {
  /// Makes a store that continues where the journal ends, with the handlers that a block adds.
  ///
  ///     let store = try Store(
  ///       state: Desk(), reducer: desk, journal: journal,
  ///       first: [DeskIntent.began],
  ///       handlers: { handlers in
  ///         handlers.add(effectHandler: Mailer())
  ///       })
  ///
  /// The recovered state reduces the `first` intents before anything begins. The effects that an
  /// earlier process has not finished begin last (J10), in the order of their emission, each by its
  /// policy. One with ``/Glue/EffectPolicy/delay(_:)`` waits for the rest of its time. Those of a type
  /// without a handler begin when the program adds one; until then ``/Glue/CancelEffects`` and
  /// policies see them, but ``/Glue/Store/settled()`` does not wait for them.
  ///
  /// A handler that captures the store keeps it alive, and so the journal's directory in use until
  /// ``Journal/close()`` or the end of the process.
  ///
  /// - Throws: ``JournalError``, or the block's error, before the journal is used.
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    journal: Journal<State>?, first: [any Intent] = [],
    handlers: (EffectHandlers) throws -> Void
  ) throws {
    let handlers = try EffectHandlers(handlers)
    let begun = try journal.map { try $0.core.begun(with: state, reducer, clock) }
    self.init(
      state: begun?.state ?? state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report, first: first,
      handlers: handlers, continuing: begun?.start)
  }

  /// Makes a store with a journal from a reducer of one type of intents, with the handlers that a
  /// block adds.
  ///
  /// Other intents change nothing.
  @inlinable
  public convenience init<I: Intent>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [], monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    journal: Journal<State>?, first: [any Intent] = [],
    handlers: (EffectHandlers) throws -> Void
  ) throws {
    try self.init(
      state: state, reducer: reduce(reducer), middleware: middleware,
      monitors: monitors, lasting: lasting, delivery: delivery, clock: clock, report: report,
      journal: journal, first: first, handlers: handlers)
  }
}

extension JournalCore {
  /// Recovers the state that a store starts with.
  ///
  /// If that fails for good, it closes the journal.
  fileprivate func begun<State: Codable & Sendable>(
    with initial: State, _ reducer: @escaping Reducer<State>, _ clock: any Clock<Duration>
  ) throws -> (state: State, start: LogStart) {
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
      return (state, start(writer))
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
