public import Glue
internal import Synchronization

extension Store where State: Codable {
  /// Makes a store that goes on where the journal ends, or begins one.
  ///
  /// The state is the one that replaying the journal gives, and `state` is used only if there is
  /// none. Otherwise it is a store as any, whose commits are as durable as the journal says before
  /// anybody is told of them (J3).
  ///
  /// - Parameters:
  ///   - state: the state to begin with, if nothing is recorded.
  ///   - reducer: decides what each intent changes, and its effects; it replays what is recorded.
  ///   - middleware: stands between `dispatch` and the reducer.
  ///   - monitors: are told of every commit that is made from now on.
  ///   - lasting: says which effects last, of which state; they follow from the state, and are not
  ///     recorded.
  ///   - delivery: where subscribers and effect handlers are called, and the journal is written.
  ///   - clock: what effects with a policy wait on.
  ///   - report: is told of each ``/Glue/Problem``; without it, debug builds print them.
  ///   - journal: the journal, which serves this store alone; nil for none.
  /// - Throws: ``JournalError`` if there is no journal yet and none can be made.
  /// - Complexity: that of reducing what was recorded since the newest state.
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    journal: Journal<State>?
  ) throws {
    let begun = try journal.map { try $0.begin(with: state, reducer) }
    self.init(
      state: begun?.state ?? state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report
    ) { store in
      if let begun { journal?.core.record(store, by: begun.writer, begun.left) }
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
  public func resume() {
    resumeEffects()
  }
}

extension Journal {
  /// Begins to write the commits of a store, after those that were recovered.
  fileprivate func begin(
    with initial: State, _ reducer: @escaping Reducer<State>
  ) throws -> (state: State, left: [KeptEffect], writer: Writer) {
    if core.isNew { try core.check(initial) }
    let found = try core.take()
    let replay = try found.map { try core.replay($0.recorded, reducer) }
    let state = replay?.state ?? initial
    _ = try? core.digests.make(of: state)
    let writer = Writer(
      core.directory, core.coding, isSynced: core.options.durability == .synced, core.digests,
      found,
      left: replay?.left ?? [:])
    // What comes is of today's version, and so are the log that it is in, and the state before it.
    if found?.recorded.isOld != false { try core.writeFirst(state, by: writer) }
    return (state, replay?.left.values.sorted { $0.key < $1.key } ?? [], writer)
  }
}

extension JournalCore {
  /// Replays all.
  ///
  /// - Throws: ``JournalError``, and the journal is closed, if the reducer goes another way than what
  ///   was recorded, and is not to.
  fileprivate func replay<State>(
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
      free()
      throw JournalError(directory.path, text + ". Nothing was changed")
    }
    options.report("\(directory.path): \(text)")
    return replay
  }

  /// The first state has to decode.
  fileprivate func check(_ state: AnyState) throws {
    do {
      _ = try coding.recoded(state)
    } catch {
      throw JournalError(
        directory.path,
        "a state of type \(type(of: state)) does not encode such that it decodes: "
          + reason(of: error, isBare: true))
    }
  }

  /// Writes the state that a store begins with; where that fails, the journal is closed.
  fileprivate func writeFirst(_ state: AnyState, by writer: Writer) throws {
    do {
      let record = try writer.beginLog(after: state)
      writer.noteState(after: writer.commit, size: try place(record))
    } catch {
      free()
      throw error as? JournalError ?? JournalError(directory.path, reason(of: error))
    }
  }

  /// Has the commits of a store recorded; called before anybody uses it.
  fileprivate func record<State>(
    _ store: Store<State>, by writer: Writer, _ left: [KeptEffect]
  ) where State: Codable {
    begin(writer, for: store)
    let coding = coding
    let mustHappen: @Sendable (any Effect) -> Bool = { coding.name(of: $0) != nil }
    store.record(
      in: JournalLink<State>(
        commits: writer.commit, left: left.map { LeftEffect(of: $0) },
        mustHappen: coding.effects.isEmpty ? nil : mustHappen,
        record: { number, intent, cause, effects, state in
          let isDue = self.pace.takesState(after: number)
          return self.item(number, intent, cause, effects, state, isDue ? state : nil)
        },
        recordEnds: { self.item(over: $0, in: $1) },
        ending: { Item(.end($0, after: $1, isLast: false), in: self) },
        end: { state, commit in
          self.end(with: state, after: commit)
          self.free()
        }))
  }

  private func keepsState(after commit: Int, _ intent: any Intent) -> Bool {
    options.keepsState(after: commit) || !coding.intents.contains(type(of: intent))
  }

  /// What is to be written of a commit; called under the store's lock.
  private func item(
    _ number: Int, _ intent: any Intent, _ cause: Cause, _ effects: [any Effect],
    _ state: some Codable & Sendable, _ snapshot: AnyState?
  ) -> any Written {
    let time = microsecondsNow()
    let keepsState = keepsState(after: number, intent)
    let isDue = !keepsState && digests.isDue(at: time)
    let isForDigest = isDue && digests.isSlow
    // Until the writer has made it, no other commit is to bring a copy along.
    if isForDigest { digests.last.store(time, ordering: .relaxed) }
    var commit = RecordedCommit(
      number: number, time: time, cause: cause, intent: intent,
      state: keepsState || isForDigest ? state : nil, isForDigest: isForDigest,
      digest: isDue && !isForDigest ? try? digests.make(of: state) : nil)
    if !coding.effects.isEmpty {
      for (index, effect) in effects.enumerated() {
        if coding.name(of: effect) != nil {
          let key = EffectKey(commit: number, index: index)
          commit.effects.append(KeptEffect(key: key, time: commit.time, effect: effect))
        } else if let type = coding.unnamedType(of: effect) {
          commit.unnamed.append(type)
        }
      }
    }
    return Item(.commit(commit), with: snapshot, in: self)
  }

  /// Takes note of effects that are over, in the record of the commit that has ended them, if one
  /// has; called under the store's lock.
  ///
  /// - Returns: a record for them, if they need one.
  private func item(over causes: [Cause], in commit: (any Written)?) -> (any Written)? {
    let keys = causes.compactMap { cause -> EffectKey? in
      guard case .effect(let index, let commit) = cause else { return nil }
      return EffectKey(commit: commit, index: index)
    }
    guard let commit = commit as? Item else { return Item(.over(keys), in: self) }
    commit.add(over: keys)
    return nil
  }
}

extension LeftEffect {
  fileprivate init(of kept: KeptEffect) {
    self.init(
      effect: kept.effect, cause: .effect(kept.key.index, ofCommit: kept.key.commit),
      elapsed: { .microseconds(microsecondsNow() - kept.time) })
  }
}
