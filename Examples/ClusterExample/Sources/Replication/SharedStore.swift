public import Glue
import Synchronization

/// A store whose shared intents are reduced on several machines, in the one order of a ``Log``.
///
///     let shared = SharedStore(
///       state: Board(), reducer: combineReducers { board },
///       local: Cursor(), localReducer: combineReducers { cursor },
///       names: Names(.intent("board", BoardIntent.self)), log: try NATSLog(…))
///     try await shared.send(BoardIntent.add("milk"))
///     let subscription = shared.store.subscribe(selector: \.state.lines) { print($0) }
///
/// The way of an intent whose type has a name:
///
/// 1. `send`, or a `dispatch` on ``store`` by anybody, puts it into the queue (Outgoing.swift).
/// 2. One task makes an entry of what waits, with this sender's next number, and appends it, again
///    and again until the engine says yes or the deadline has passed (Sending.swift).
/// 3. Another task reads the log, on every replica, and dispatches each entry (Following.swift).
/// 4. The reducer drops it if that number was there before, and reduces it (Replicated.swift).
/// 5. The replica that sent it starts its effects and answers `send`. An ``OwnedEffect`` waits in
///    the table for the owner, which is elected by entries too (Owning.swift).
///
/// - All replicas reduce the same intents in the same order; each is reduced once, whatever was
///   lost or came twice on the way, and those of one sender in the order in which it sent them.
/// - Intents without a name go past the log, to the `localReducer`, on this replica alone.
/// - A start of a process is a new sender. Effects that are not owned happen at most once: those of
///   a replica that ends between appending and reducing are not started by another.
/// - Everything here may be used from any thread.
public final class SharedStore<State: Codable & Sendable, Local: Sendable>: Sendable {
  /// The store: read it, subscribe to it and view it as any other.
  ///
  /// A shared intent that is dispatched on it is sent, and reduced when it comes back; if it cannot
  /// be sent, the `localReducer` gets a ``NotSent``. `perform` and `settled` don't wait for it.
  public let store: Store<Replicated<State, Local>>

  let replica: Replica<State, Local>
  private let tasks: Mutex<[Task<Void, Never>]>

  /// Makes a replica, which begins to follow the log at once.
  ///
  /// - Parameters:
  ///   - state: what everything begins with, the same on every replica.
  ///   - reducer: reduces shared intents. It must give the same on every machine: no clocks, no
  ///     random numbers, no dictionary orders.
  ///   - local: what this replica alone has.
  ///   - localReducer: reduces the intents that have no name.
  ///   - names: which types are shared, and their names in the log.
  ///   - version: of the reducer and the state; replicas with another one refuse.
  ///   - log: the engine.
  ///   - deadline: how long `send` tries. An election among servers takes up to ten seconds.
  ///   - snapshotEvery: after how many entries one replica keeps a snapshot, and drops the entries
  ///     before the last one.
  ///   - lease: for how long an owner may be silent before another replica takes over.
  ///   - timing: where time comes from.
  public init(
    state: State, reducer: @escaping Reducer<State>, local: Local,
    localReducer: @escaping Reducer<Local> = { _, _ in [] }, names: Names, version: Int = 1,
    log: some Log, deadline: Duration = .seconds(15), snapshotEvery: Int = 10_000,
    lease: Duration = .seconds(10), timing: Timing = Timing(ContinuousClock())
  ) {
    let sender = Sender(names: names, version: version, deadline: deadline, timing: timing)
    store = Store(
      state: Replicated(state: state, local: local),
      reducer: replicatedReducer(reducer, localReducer, me: sender.name, names: names),
      middleware: [sharing(by: sender)])
    replica = Replica(
      log: log, store: store, sender: sender, names: names, version: version,
      snapshotEvery: snapshotEvery, lease: lease, timing: timing)
    let replica = replica
    tasks = Mutex([Task { await replica.follow() }, Task { await replica.sendAll() }])
  }

  deinit { stop() }

  /// Sends an intent, and waits until this replica has reduced it.
  ///
  /// Cancelling the task does not take it back.
  ///
  /// - Parameter intent: of a type that has a name.
  /// - Returns: its position, which it shares with what was sent at the same time. Whoever reads a
  ///   replica that has reached that position sees it.
  /// - Throws: what became of it, at the latest when the deadline has passed. Only after
  ///   ``SharedStoreError/unknownOutcome(_:)`` it may be reduced all the same.
  @discardableResult
  public func send(_ intent: some Intent) async throws(SharedStoreError) -> Position {
    precondition(
      replica.names.has(intent),
      """
      Glue: \(type(of: intent)) has no name, so it cannot be sent to others.
      Wrong: shared.send(\(type(of: intent)) …)
      Right: shared.store.dispatch(…), or a name for it in Names(…)
      """)
    return try await replica.sender.send([intent], nil)
  }

  /// Waits until this replica has reduced all that was in the log when this was called.
  ///
  /// - Returns: how far it is then.
  /// - Throws: as ``send(_:)``: it sends an entry without intents, and waits for it.
  @discardableResult
  public func catchUp() async throws(SharedStoreError) -> Position {
    try await replica.sender.send([], nil)
  }

  /// Finds out what became of an intent whose outcome was not known.
  ///
  /// - Returns: its position, or nil if it was not reduced and never will be: then it may be sent
  ///   again.
  /// - Throws: as ``send(_:)``; ``SharedStoreError/unknownOutcome(_:)`` with the same ticket if this
  ///   replica jumped over the place in question by a snapshot, so that nobody knows.
  public func outcome(of ticket: Ticket) async throws(SharedStoreError) -> Position? {
    if replica.sender.outcome(of: ticket) == nil { try await catchUp() }
    switch replica.sender.outcome(of: ticket) {
    case .reduced(let position): return position
    case .never: return nil
    case nil: throw .unknownOutcome(ticket)
    }
  }

  /// Does the work of one type of owned effects whenever this replica is the owner.
  ///
  ///     shared.own(Mail.self) { mail, token in
  ///       try await post(mail, idempotencyKey: "\(token.id)", fence: token.revision)
  ///       return [OrderIntent.confirmed(mail.order)]
  ///     }
  ///
  /// A replica that owns something stands for election. An owner that was stopped may wake up in the
  /// middle of `work`, when another one has begun it anew: what it returns is not reduced then, and
  /// the target can tell by the token.
  ///
  /// - Parameters:
  ///   - type: the effects' type, which has a name.
  ///   - work: does one. The intents that it returns are reduced together, once, and with them the
  ///     effect is over; if it throws, it is called again after a second.
  public func own<E: OwnedEffect>(
    _ type: E.Type, work: @escaping @Sendable (E, Token) async throws -> [any Intent]
  ) {
    replica.duties.add { effect, token in
      guard let effect = effect as? E else { return nil }
      return try await work(effect, token)
    }
    let replica = replica
    tasks.withLock { if $0.count == 2 { $0.append(Task { await replica.standForElection() }) } }
  }

  /// Ends: sends nothing more, follows no longer, and waits until all that it started has ended.
  ///
  /// What is on its way fails, mostly with an unknown outcome. The state stays readable.
  public func close() async {
    let ended = stop()
    for task in ended { await task.value }
    await store.shutdown()
  }

  /// Cancels everything, and returns what is to be waited for.
  @discardableResult
  private func stop() -> [Task<Void, Never>] {
    let stopped = tasks.withLock { $0 }
    for task in stopped { task.cancel() }
    replica.sender.stop(.closed)
    return stopped + replica.duties.cancel()
  }
}

extension SharedStore where Local == Void {
  /// Makes a replica that keeps nothing for itself alone; see the other initializer.
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, names: Names, version: Int = 1,
    log: some Log, deadline: Duration = .seconds(15), snapshotEvery: Int = 10_000,
    lease: Duration = .seconds(10), timing: Timing = Timing(ContinuousClock())
  ) {
    self.init(
      state: state, reducer: reducer, local: (), names: names, version: version, log: log,
      deadline: deadline, snapshotEvery: snapshotEvery, lease: lease, timing: timing)
  }
}
