public import Glue
public import GlueJournal

/// A store whose shared intents are reduced on several machines, in the one order of a ``Log``.
///
///     let shared = SharedStore(
///       state: Board(), versions: [.version(1, reducer: board)], format: format,
///       replica: "eu-1", log: log)
///     try await shared.send(BoardIntent.add("milk"))
///     let subscription = shared.store.subscribe(selector: \.state.lines) { print($0) }
///
/// The way of an intent whose type has a name in the format:
///
/// 1. `send`, or any `dispatch` on ``store``, puts it into the queue (Outgoing.swift).
/// 2. One task makes an entry of what waits, with this sender's next number, and appends it, again
///    and again until the engine says yes or the deadline has passed (Sending.swift).
/// 3. Another task reads the log, on every replica, and dispatches each entry (Following.swift).
/// 4. The reducer drops it if that number was there before, and reduces it by the log's version
///    (Replicated.swift).
/// 5. The replica that sent it starts its effects and answers `send`. An effect that the format
///    names waits in the table for the owner, which is elected by entries too (Owning.swift).
///
/// - All replicas reduce the same intents in the same order; each is reduced once, whatever was
///   lost or came twice on the way, and those of one sender in the order in which it sent them.
/// - Intents without a name go past the log, to the `localReducer`, on this replica alone.
/// - Effects that the format names happen at least once, one owner at a time. Others, and all that
///   have a policy, happen at most once: not if their replica ends before it has reduced its entry.
/// - Everything here may be used from any thread.
public final class SharedStore<State: Codable & Sendable, Local: Sendable>: Sendable {
  /// The store: read it, subscribe to it and view it as any other.
  ///
  /// A shared intent that is dispatched on it is sent, and reduced when it comes back; if it cannot
  /// be sent, the `localReducer` gets a ``NotSent``. `perform` and `settled` don't wait for it.
  public let store: Store<Replicated<State, Local>>

  let replica: Replica<State, Local>
  let running: Guarded<(following: [Task<Void, Never>], election: Task<Void, Never>?)>

  /// Makes a replica, which begins to follow the log at once.
  ///
  /// - Parameters:
  ///   - state: what everything begins with, the same on every replica.
  ///   - versions: the reducers that this program knows; a new log begins with the first.
  ///   - local: what this replica alone has.
  ///   - localReducer: reduces the intents that have no name.
  ///   - format: which intents are shared and which effects are owned, by their names in the log.
  ///     Its version and migrations are for journals.
  ///   - label: names this replica: no other has that name, and it keeps it when it starts again.
  ///   - log: the engine.
  ///   - deadline: how long `send` tries. An election among servers takes up to ten seconds.
  ///   - snapshotEvery: after how many entries one replica keeps a snapshot, and drops the entries
  ///     before the last one: the same on all replicas, so that they compare their states there.
  ///   - lease: for how long an owner may be silent before another replica takes over.
  ///   - clock: what deadlines, leases and effects with a policy wait on.
  ///   - report: gets what an operator should see; unless it is given, standard error does.
  public init(
    state: State, versions: [SharedVersion<State>], local: Local,
    localReducer: @escaping Reducer<Local> = { _, _ in [] }, format: JournalFormat<State>,
    replica label: String, log: some Log, deadline: Duration = .seconds(15),
    snapshotEvery: Int = 10_000, lease: Duration = .seconds(10),
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (SharedStoreEvent) -> Void)? = nil
  ) {
    let report = report ?? { writeToStandardError("Glue: \(label): \($0)") }
    let timing = Timing(clock)
    let program = Program(
      format: format, versions: Versions(versions),
      me: String(UInt64.random(in: .min ... .max), radix: 36))
    let sender = Sender(program, replica: label, deadline: deadline, timing: timing)
    store = Store(
      state: Replicated(state: state, local: local),
      reducer: replicatedReducer(program, localReducer), middleware: [sharing(by: sender)],
      clock: clock)
    replica = Replica(
      log: log, store: store, sender: sender, program: program, snapshotEvery: snapshotEvery,
      lease: lease, timing: timing, report: report,
      duties: Duties(program, sender: sender, timing: timing, report: report))
    let replica = replica
    running = Guarded(([Task { await replica.follow() }, Task { await replica.sendAll() }], nil))
    if format.names(Send(LinkChanged(link: .live))) { standForElection() }
  }

  deinit { stop() }

  /// How this replica and its log are.
  public var status: SharedStoreStatus { store.state.status }

  /// Sends an intent, and waits until this replica has reduced it.
  ///
  /// Cancelling the task does not take it back.
  ///
  /// - Parameter intent: of a type that has a name.
  /// - Returns: its position, which it shares with what was sent at the same time. A replica that has
  ///   reached that position has reduced it.
  /// - Throws: what became of it, at the latest when the deadline has passed. Only after
  ///   ``SharedStoreError/unknownOutcome(_:)`` it may be reduced all the same.
  @discardableResult
  public func send(_ intent: some Intent) async throws(SharedStoreError) -> Position {
    precondition(
      replica.program.format.names(intent as any Intent),
      """
      Glue: \(type(of: intent)) has no name, so it cannot be sent to others.
        Wrong: shared.send(\(type(of: intent)) …)
        Right: shared.store.dispatch(…), or a name for it in the JournalFormat
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
  ///   replica jumped over the place in question by a snapshot, so that it can't be known.
  public func outcome(of ticket: Ticket) async throws(SharedStoreError) -> Position? {
    if replica.sender.outcome(of: ticket) == nil { try await catchUp() }
    switch replica.sender.outcome(of: ticket) {
    case .reduced(let position): return position
    case .never: return nil
    case nil: throw .unknownOutcome(ticket)
    }
  }

  /// Ends: tells the others, follows no longer, and waits until all that it started has ended.
  ///
  /// Where the log can't be reached that takes two seconds, and the others take this replica for one
  /// that may come back. What is under way then fails, mostly with an unknown outcome. The state
  /// stays readable.
  public func close() async {
    if store.state.link == .live {
      _ = try? await replica.sender.send([], .gone, within: .seconds(2))
    }
    let ended = stop()
    for task in ended { await task.value }
    await store.shutdown()
  }

  /// Cancels everything, and returns what is to be waited for.
  @discardableResult
  func stop() -> [Task<Void, Never>] {
    let stopped = running.withLock { $0.following + [$0.election].compactMap { $0 } }
    for task in stopped { task.cancel() }
    replica.sender.stop(.closed)
    return stopped + replica.duties.cancel()
  }
}

extension SharedStore where Local == Void {
  /// Makes a replica that keeps nothing for itself alone; see the other initializer.
  public convenience init(
    state: State, versions: [SharedVersion<State>], format: JournalFormat<State>,
    replica: String, log: some Log, deadline: Duration = .seconds(15),
    snapshotEvery: Int = 10_000, lease: Duration = .seconds(10),
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (SharedStoreEvent) -> Void)? = nil
  ) {
    self.init(
      state: state, versions: versions, local: (), format: format, replica: replica, log: log,
      deadline: deadline, snapshotEvery: snapshotEvery, lease: lease, clock: clock, report: report)
  }
}
