public import Glue

extension Store where State: Codable {
  /// Makes a store that goes on where the journal ends, or begins one.
  ///
  /// It begins with the state that replaying the journal with `reducer` gives; `state` is used only
  /// if nothing is recorded. Its commits are as durable as the journal says before anything hears of
  /// them (J3), and `monitors` hear of those that are made from now on. The journal is written where
  /// `delivery` calls handlers, serves this store alone, and doesn't record what `lasting` gives,
  /// which follows from the state. In all else, and without a journal, the store is as any other.
  ///
  /// - Throws: ``JournalError`` if there is no journal yet and none can be made, or if the reducer
  ///   goes another way than what was recorded and ``OnDivergence/refuse`` is chosen.
  /// - Complexity: that of reducing what was recorded since the newest state.
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    journal: Journal<State>?
  ) throws {
    let begun = try journal.map { try $0.core.begun(with: state, reducer) }
    self.init(
      state: begun?.state ?? state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report
    ) { store in
      if let begun { journal?.core.begin(begun.writer, for: store) }
    }
  }

  /// Makes a store with a journal from a reducer of one type of intents; others change nothing.
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

  /// Makes a store with a journal from a reducer of one type of intents and one of effects; others
  /// change nothing.
  @inlinable
  public convenience init<I: Intent, E: Effect>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [E],
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
  /// Starts the effects that must happen and that the last process has not finished (J10).
  ///
  /// Call it when the handlers are there. They are started in the order in which they were emitted,
  /// as the policy of each says; one with ``/Glue/EffectPolicy/delay(_:)`` waits what is left of its
  /// time. Called again, it starts those that nobody has handled so far. Until it is called,
  /// ``/Glue/CancelEffects`` and policies see them, and ``/Glue/Store/settled()`` does not wait for
  /// them. Without a journal it does nothing.
  public func resumeUnfinishedEffects() {
    resumeEffects()
  }

  /// Does what ``/GlueJournal/Glue/Store/resumeUnfinishedEffects()`` does, under its older name.
  public func resume() { resumeEffects() }
}

extension JournalCore {
  /// Recovers what a store begins with; where that fails for good, the journal is closed.
  fileprivate func begun<State: Codable & Sendable>(
    with initial: State, _ reducer: @escaping Reducer<State>
  ) throws -> (state: State, writer: Writer) {
    if isNew { try check(initial) }
    let found = try take()
    do {
      let replay = try found.map { try self.replay($0.recorded, reducer) }
      let state = replay?.state ?? initial
      _ = try? digest(of: state)
      let writer = Writer(self, found, left: replay?.left ?? [:])
      // What comes is of today's version, and so are the log that it is in, and the state before it.
      if found?.recorded.isOld != false {
        let record = try writer.beginLog(after: state)
        writer.noteState(after: writer.commit, size: try place(record))
      }
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
        "a state of type \(type(of: state)) does not encode such that it decodes: "
          + reason(of: error, isBare: true))
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
      "commit \(divergence.number): the reducer goes another way than what was recorded; the last "
      + "commit that agreed is \(divergence.lastEqual). \(divergence.difference)"
    if options.onDivergence == .refuse {
      throw JournalError(directory.path, text + ". Nothing was changed")
    }
    options.report("\(directory.path): \(text)")
    return replay
  }
}
