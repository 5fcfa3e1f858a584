public import Glue
public import GlueJournal

/// A store whose shared intents are reduced on several machines, in the order of one ``Log``.
///
///     let shared = SharedStore(
///       state: Board(), versions: [.version(1, reducer: board)], format: format,
///       replica: "eu-1", log: log)
///     try await shared.send(BoardIntent.add("milk"))
///     let subscription = shared.store.subscribe(selector: \.state.lines) { print($0) }
///
/// The way of an intent whose type has a name in the format:
///
/// 1. `send`, or any `dispatch` on ``store``, enqueues it (Outgoing.swift).
/// 2. One task combines the queued intents into an entry with this sender's next number. It reduces
///    them on a copy of the state, so that a trap ends this replica alone. It appends the entry, and
///    retries until the engine acknowledges it or the deadline passes (Sending.swift).
/// 3. On every replica another task reads the log and dispatches each entry (Following.swift).
/// 4. The reducer drops an entry whose number it has seen, and reduces others by the log's version
///    (Replicated.swift).
/// 5. The replica that sent it starts its effects and answers `send`. An effect that the format
///    names waits in the table for the owner, which entries elect too (Owning.swift).
///
/// - All replicas reduce the same intents in the same order, each sender's in the order in which it
///   sent them. Each intent is reduced once, even if messages are lost or arrive twice.
/// - Intents without a name bypass the log: the `localReducer` reduces them, on this replica alone.
/// - Effects that the format names happen at least once, one owner at a time. Others, and all with
///   a policy, happen at most once: not if their replica ends before it has reduced its entry.
/// - Every member may be used from any thread.
public final class SharedStore<State: Codable & Sendable, Local: Sendable>: Sendable {
  /// The store: read it, subscribe to it and view it like any other.
  ///
  /// A shared intent that is dispatched on it is sent, and reduced when it comes back. If sending
  /// fails, the `localReducer` gets a ``NotSent``. `perform` and `settled` don't wait for it.
  public let store: Store<Replicated<State, Local>>

  let replica: Replica<State, Local>
  private let tasks: [Task<Void, Never>]

  /// Makes a replica, which starts to follow the log at once.
  ///
  /// - Parameters:
  ///   - state: the first state, the same on every replica.
  ///   - versions: the reducers that this program knows; a new log begins with the first.
  ///   - local: the state of this replica alone.
  ///   - localReducer: reduces the intents that have no name.
  ///   - format: names the intents that are shared and the effects that are owned. Its version and
  ///     migrations are for journals.
  ///   - label: names this replica. No other replica has the same label, and it keeps its label
  ///     when it restarts. Two live replicas with one label report it.
  ///   - log: the engine.
  ///   - deadline: how long `send` tries, 15 seconds by default. It ends up to 10 ms later, also while
  ///     a call of the engine doesn't return. An election among an engine's servers takes up to ten
  ///     seconds.
  ///   - snapshotEvery: the number of entries after which one replica keeps a snapshot and drops
  ///     the entries before the previous one. It is the same on all replicas, which compare their
  ///     states there.
  ///   - lease: how long an owner may be silent before another replica takes over, at least 3 seconds.
  ///   - rehearses: whether this replica reduces each intent on a copy of its state before it sends it.
  ///     A reducer that traps on the intent then ends this replica alone; otherwise it ends all of
  ///     them, again at each restart. Each intent that this replica sends costs one more call of the
  ///     reducer, and each entry a copy of the collections that it changes.
  ///   - marker: notes the entry that this replica is reducing, for the next start.
  ///   - clock: times deadlines, leases and effects with a policy. On a clock whose sleeps return at
  ///     once, each deadline has passed.
  ///   - report: gets the events that an operator should see. The default writes them to standard
  ///     error.
  public convenience init(
    state: State, versions: [SharedVersion<State>], local: Local,
    localReducer: @escaping Reducer<Local> = { _, _ in [] }, format: JournalFormat<State>,
    replica label: String, log: some Log, deadline: Duration = .seconds(15),
    snapshotEvery: Int = 10_000, lease: Duration = .seconds(10),
    rehearses: Bool = true, marker: ReductionMarker? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (SharedStoreEvent) -> Void)? = nil
  ) {
    self.init(
      state: state, versions: versions, local: local, localReducer: localReducer, format: format,
      replica: label, log: log, deadline: deadline, snapshotEvery: snapshotEvery, lease: lease,
      rehearses: rehearses, marker: marker, clock: clock, report: report
    ) { _ in }
  }

  /// Makes a replica with the handlers that a block adds, which then starts to follow the log.
  ///
  ///     let shared = SharedStore(
  ///       state: Board(), versions: [.version(1, reducer: board)], format: format,
  ///       replica: "eu-1", log: log,
  ///       handlers: { handlers in handlers.add(effectHandler: Mailer()) })
  ///
  /// Without the block, effects of the first entries that it reads can miss handlers that later
  /// lines add. The `first` intents are dispatched before an entry is read; those that are shared
  /// are sent.
  ///
  /// - Throws: the block's error. Then nothing is read or sent.
  public init(
    state: State, versions: [SharedVersion<State>], local: Local,
    localReducer: @escaping Reducer<Local> = { _, _ in [] }, format: JournalFormat<State>,
    replica label: String, log: some Log, deadline: Duration = .seconds(15),
    snapshotEvery: Int = 10_000, lease: Duration = .seconds(10),
    rehearses: Bool = true, marker: ReductionMarker? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (SharedStoreEvent) -> Void)? = nil, first: [any Intent] = [],
    handlers: (EffectHandlers) throws -> Void
  ) rethrows {
    let report = report ?? { writeToStandardError("Glue: \(label): \($0)") }
    let timing = Timing(clock)
    let program = Program(format: format, versions: Versions(versions), me: newSender(timing))
    let sender = Sender(program, replica: label, deadline: deadline, timing: timing)
    store = try Store(
      state: Replicated(state: state, local: local),
      reducer: replicatedReducer(program, localReducer), middleware: [sharing(by: sender)],
      clock: clock, handlers: handlers)
    for intent in first { store.dispatch(intent) }
    replica = Replica(
      label: label, log: log, store: store, initial: state, sender: sender, program: program,
      snapshotEvery: snapshotEvery,
      lease: checked(lease), rehearses: rehearses, marker: marker, timing: timing, report: report,
      duties: Duties(
        program, of: store, sender: sender, timing: timing, lease: lease, report: report))
    let replica = replica
    tasks = [
      Task(executorPreference: timing.executor) { await replica.follow() },
      Task(executorPreference: timing.executor) { await replica.sendAll() },
      Task(executorPreference: timing.executor) { await replica.standForElection() },
    ]
  }

  deinit { stop() }

  /// The condition of this replica and its log.
  public var status: SharedStoreStatus { store.state.status }

  /// Sends an intent and waits until this replica has reduced it.
  ///
  /// Canceling the task doesn't take the intent back.
  ///
  /// - Parameter intent: of a type that the format names.
  /// - Returns: its position, which intents sent at the same time share. A replica that has reached
  ///   that position has reduced it.
  /// - Throws: the reason, at the latest when the deadline has passed. Only after
  ///   ``SharedStoreError/unknownOutcome(_:)`` may the intent still be reduced.
  @discardableResult
  public func send(_ intent: some Intent) async throws(SharedStoreError) -> LogPosition {
    guard replica.program.format.names(intent as any Intent) else {
      fatalError(
        """
        Glue: \(type(of: intent)) has no name, so it cannot be sent to others.
          Wrong: shared.send(\(type(of: intent)) …)
          Right: shared.store.dispatch(…), or a name for it in the JournalFormat
        """)
    }
    return try await replica.sender.send([intent], nil)
  }

  /// Waits until this replica has reduced everything that was in the log at the time of the call.
  ///
  /// - Returns: the position that this replica has then reached.
  /// - Throws: the errors of ``send(_:)``, because it sends an entry without intents and waits for
  ///   it.
  @discardableResult
  public func catchUp() async throws(SharedStoreError) -> LogPosition {
    try await replica.sender.send([], nil)
  }

  /// Finds out whether an intent with an unknown outcome was reduced.
  ///
  /// - Returns: its position, or nil if it was not reduced and never will be. You may then send it
  ///   again.
  /// - Throws: the errors of ``send(_:)``. It throws ``SharedStoreError/unknownOutcome(_:)`` with
  ///   the same ticket if this replica jumped over the place in question by a snapshot, so the
  ///   outcome can't be known.
  public func outcome(of ticket: SendTicket) async throws(SharedStoreError) -> LogPosition? {
    if replica.sender.outcome(of: ticket) == nil { try await catchUp() }
    switch replica.sender.outcome(of: ticket) {
    case .reduced(let position): return position
    case .never: return nil
    case nil: throw .unknownOutcome(ticket)
    }
  }

  /// Ends this replica in order, and waits up to ten seconds for owned effects; see
  /// ``close(within:)``.
  public func close() async { await close(within: .seconds(10)) }

  /// Ends this replica in order, and waits until everything that it started has ended, except effects
  /// that don't end within the limit: those run on.
  ///
  /// 1. It takes no more owned effects, and cancels those that run. One that ends nevertheless still
  ///    sends its result.
  /// 2. When all have ended, it notifies the other replicas, so that another owner takes over at once.
  ///    No effect runs on both.
  /// 3. It stops sending and following.
  ///
  /// If the log can't be reached, results wait for the limit, and the second step takes at most two
  /// seconds. The other replicas assume that this one may come back. Sends in flight then fail, mostly with an unknown outcome. The state stays
  /// readable.
  ///
  /// - Parameter limit: how long to wait for owned effects. If some have not ended then,
  ///   ``SharedStoreEvent/notHandedOver(_:)`` names them. The other replicas aren't notified, so the
  ///   next owner waits for the lease.
  public func close(within limit: Duration) async {
    let left = await replica.duties.end(within: limit)
    if !left.isEmpty {
      replica.report(.notHandedOver(left))
    } else if store.state.link == .live {
      _ = try? await replica.sender.send([], .gone, within: .seconds(2))
    }
    let ended = stop()
    for task in ended { await task.value }
    await store.shutdown()
  }

  /// Cancels everything and returns the tasks to wait for.
  @discardableResult
  func stop() -> [Task<Void, Never>] {
    for task in tasks { task.cancel() }
    replica.sender.stop(.closed)
    replica.duties.stop()
    return tasks
  }
}

extension SharedStore where Local == Void {
  /// Makes a replica without local state; see the other initializer.
  public convenience init(
    state: State, versions: [SharedVersion<State>], format: JournalFormat<State>,
    replica: String, log: some Log, deadline: Duration = .seconds(15),
    snapshotEvery: Int = 10_000, lease: Duration = .seconds(10),
    rehearses: Bool = true, marker: ReductionMarker? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (SharedStoreEvent) -> Void)? = nil
  ) {
    self.init(
      state: state, versions: versions, local: (), format: format, replica: replica, log: log,
      deadline: deadline, snapshotEvery: snapshotEvery, lease: lease,
      rehearses: rehearses, marker: marker, clock: clock, report: report)
  }

  /// Makes a replica without local state, with a block of handlers; see the other initializer.
  public convenience init(
    state: State, versions: [SharedVersion<State>], format: JournalFormat<State>,
    replica: String, log: some Log, deadline: Duration = .seconds(15),
    snapshotEvery: Int = 10_000, lease: Duration = .seconds(10),
    rehearses: Bool = true, marker: ReductionMarker? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (SharedStoreEvent) -> Void)? = nil, first: [any Intent] = [],
    handlers: (EffectHandlers) throws -> Void
  ) rethrows {
    try self.init(
      state: state, versions: versions, local: (), format: format, replica: replica, log: log,
      deadline: deadline, snapshotEvery: snapshotEvery, lease: lease,
      rehearses: rehearses, marker: marker, clock: clock, report: report,
      first: first, handlers: handlers)
  }
}
