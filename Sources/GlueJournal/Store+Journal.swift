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
    let reference = StoreReference<State>()
    let link = try journal.map { try $0.link(beginningWith: state, reducer, reference) }
    self.init(
      state: link?.state ?? state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report)
    reference.store.withLock { $0 = Weak(store: self) }
    if let link { record(in: link.link) }
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

/// The store of a journal, which does not keep it alive.
private final class StoreReference<State: Codable & Sendable>: Sendable {
  let store = Mutex(Weak<State>())

  var access: StoreAccess<State> {
    StoreAccess(
      queue: { make in self.store.withLock(\.store)?.queueForJournal(make) },
      mute: { make in self.store.withLock(\.store)?.mute(make) },
      newest: { self.store.withLock(\.store)?.newestForJournal() })
  }
}

private struct Weak<State: Sendable>: Sendable {
  weak var store: Store<State>?
}

extension Journal {
  /// What a store is given to record its commits.
  fileprivate func link(
    beginningWith state: State, _ reducer: Reducer<State>, _ reference: StoreReference<State>
  ) throws -> (state: State, link: JournalLink<State>) {
    let (state, commits, left) = try begin(with: state, reducer: reducer, reference.access)
    let coding = format.coding
    let mustHappen: @Sendable (any Effect) -> Bool = { coding.name(of: $0) != nil }
    let link = JournalLink<State>(
      commits: commits, left: left.map { LeftEffect(of: $0) },
      mustHappen: coding.effects.isEmpty ? nil : mustHappen,
      record: { self.item($0, $1, $2, $3, $4) },
      recordEnds: { self.item(over: $0, in: $1) },
      ending: { Item(.state($0, after: $1, .end), in: self) },
      end: { state, commit in
        self.write(state, after: commit, .end)
        self.end()
      })
    return (state, link)
  }

  /// Takes note of effects that are over, in the record of the commit that has ended them, if one
  /// has; called under the store's lock.
  ///
  /// - Returns: a record for them, if they need one.
  private func item(over causes: [Cause], in commit: (any Written)?) -> (any Written)? {
    let keys = causes.compactMap(EffectKey.init)
    guard let commit = commit as? Item<State> else { return Item(.over(keys), in: self) }
    commit.add(over: keys)
    return nil
  }

  /// What is to be written of a commit; called under the store's lock.
  private func item(
    _ number: Int, _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], _ state: State
  ) -> any Written {
    let isNamed = format.coding.names(intent)
    let keepsState = !isNamed || options.keepsState(after: number)
    return Item(
      .commit(
        CommitItem(
          number: number, time: microsecondsNow(), cause: cause, intent: intent, isNamed: isNamed,
          effects: format.coding.effects.isEmpty ? [] : effects, state: keepsState ? state : nil)),
      in: self)
  }
}

extension EffectKey {
  fileprivate init?(_ cause: Cause) {
    guard case .effect(let index, let commit) = cause else { return nil }
    self.init(commit: commit, index: index)
  }
}

extension LeftEffect {
  fileprivate init(of read: ReadEffect) {
    self.init(
      effect: read.effect, cause: .effect(read.key.index, ofCommit: read.key.commit),
      elapsed: { .microseconds(microsecondsNow() - read.time) })
  }
}
