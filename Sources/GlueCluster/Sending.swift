public import Glue
import GlueJournal

/// Reports to the local reducer that a dispatched shared intent was not shared.
public struct NotSent: Intent {
  /// The dispatched intent.
  public let intent: any Intent

  /// The reason.
  ///
  /// After an unknown outcome the intent may still be reduced.
  public let error: SharedStoreError
}

/// A locked ``Outgoing``, and the signal that intents wait in it.
final class Sender: Sendable {
  let waits: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let outgoing: Locked<Outgoing>
  let shares: @Sendable (any Intent) -> Bool
  private let line: @Sendable (any Intent) throws -> Line
  private let deadline: Duration
  private let timing: Timing
  private let alarm = Locked(Alarm())

  /// Wakes at the earliest deadline.
  private struct Alarm {
    var deadline: Duration?
    var task: Task<Void, any Error>?
  }

  private struct Line {
    let bytes: [UInt8]
    let needs: Int?
    let names: [String]
  }

  init<State>(_ program: Program<State>, replica: String, deadline: Duration, timing: Timing) {
    (waits, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    outgoing = Locked(
      Outgoing(
        sender: program.me, replica: replica, versions: program.versions.known,
        names: program.format.intentNames))
    shares = { program.format.names($0) }
    line = {
      Line(
        bytes: try program.format.decodableLine(of: $0), needs: program.versions.needed(by: $0),
        names: program.format.names(in: $0))
    }
    self.deadline = deadline
    self.timing = timing
  }

  /// Adds to the queue, in the order of the calls.
  func add(
    _ intents: [any Intent], _ act: Entry.Act?, within limit: Duration? = nil,
    in history: Int? = nil, reply: @escaping Outgoing.Reply
  ) {
    do {
      let lines = try intents.map(line)
      guard lines.reduce(0, { $0 + $1.bytes.count }) < SharedLimits.lines else {
        return reply(.failure(.unsendable("It is larger than \(SharedLimits.entry) bytes.")))
      }
      let deadline = timing.now() + (limit ?? deadline)
      let waiting = Outgoing.Waiting(
        lines: lines.map(\.bytes), intents: intents, needs: lines.compactMap(\.needs).max(),
        names: lines.flatMap(\.names), act: act, history: history,
        deadline: deadline, reply: reply)
      answer { $0.add(waiting) }
      setAlarm(deadline)
      signal.yield()
    } catch {
      reply(.failure(.unsendable("\(error)")))
    }
  }

  func send(
    _ intents: [any Intent], _ act: Entry.Act?, within limit: Duration? = nil,
    in history: Int? = nil
  ) async throws(SharedStoreError) -> LogPosition {
    try await withCheckedContinuation { continuation in
      add(intents, act, within: limit, in: history) { continuation.resume(returning: $0) }
    }.get()
  }

  func outcome(of ticket: SendTicket) -> Outgoing.Outcome? {
    outgoing.withLock { $0.outcome(of: ticket.number) }
  }

  /// The next entry, of a table that was read after the session.
  ///
  /// If the log goes back meanwhile, the session ends first, so no entry follows from a table that is
  /// gone.
  func next(_ table: ReplicatedTable, in session: Outgoing.Session) -> Outgoing.Next? {
    var next: Outgoing.Next?
    answer { outgoing in
      let refused = outgoing.refuse(table)
      if outgoing.session == session { next = outgoing.next(table) }
      return refused
    }
    return next
  }

  var session: Outgoing.Session? { outgoing.withLock { $0.session } }
  var history: Int { outgoing.withLock { $0.history } }

  /// Sends from the log's first end on, because this replica has then read the existing entries.
  ///
  /// At an end it announces the replica, until the table has it and no other live start of its label.
  func begin(_ table: ReplicatedTable, in session: String, isAtEnd: Bool) {
    let (isFirst, mustAnnounce, isNew) = outgoing.withLock { outgoing in
      defer {
        outgoing.hasBegun = outgoing.hasBegun || isAtEnd
        outgoing.enterSession(session)
      }
      let isFirst = isAtEnd && !outgoing.hasBegun
      return (isFirst, isAtEnd && outgoing.mustAnnounce(table), outgoing.session == nil)
    }
    answer { $0.passed(table.position) }
    if isFirst || mustAnnounce { add([], nil) { _ in } }
    if isNew { signal.yield() }
  }

  var looks: Int { outgoing.withLock { $0.looks } }
  func stop(_ error: SharedStoreError) {
    answer { $0.stop(error) }
    alarm.withLock { $0.task?.cancel() }
  }

  /// Fails what waits for longer than its deadline, also while an engine's call doesn't return.
  private func setAlarm(_ deadline: Duration) {
    alarm.withLock { alarm in
      if let earlier = alarm.deadline, earlier <= deadline { return }
      alarm.task?.cancel()
      alarm.deadline = deadline
      alarm.task = Task(executorPreference: timing.executor) { [weak self, timing] in
        try await timing.waitUntil(deadline)
        self?.expire()
      }
    }
  }

  private func expire() {
    alarm.withLock { $0.deadline = nil }
    let now = timing.now()
    answer { $0.expire(at: now) }
    // Deadlines that are close together share an alarm, because each searches the queue.
    let next = outgoing.withLock { $0.nextDeadline }
    if let next { setAlarm(max(next, now + .milliseconds(10))) }
  }

  /// Changes `outgoing` where nothing is to be answered.
  func change<Value: Sendable>(_ body: (inout Outgoing) -> Value) -> Value {
    outgoing.withLock { body(&$0) }
  }

  /// Changes `outgoing`, and gives the resulting answers after unlocking.
  func answer(_ change: (inout Outgoing) -> Outgoing.Replies) {
    for (reply, answer) in outgoing.withLock({ change(&$0) }) { reply(answer) }
  }
}

/// Sends dispatched shared intents, and passes all other intents on.
func sharing<Whole>(by sender: Sender) -> Middleware<Whole> {
  { dispatch, _ in
    { next in
      { intent in
        guard sender.shares(intent) else { return next(intent) }
        sender.add([intent], nil) { answer in
          if case .failure(let error) = answer { dispatch(NotSent(intent: intent, error: error)) }
        }
      }
    }
  }
}

extension Replica {
  /// Appends the queue, entry by entry, until the task is canceled.
  func sendAll() async {
    for await _ in sender.waits {
      while !Task.isCancelled, let session = sender.session,
        let next = sender.next(store.state.table, in: session)
      {
        if rehearses, !next.intents.isEmpty { rehearse(next) }
        do {
          let entry = try Entry.bytes(next.header, next.lines)
          await append(entry, next.header.number, until: next.deadline)
        } catch {
          sender.answer { $0.giveUp(next.header.number, .notSent("\(error)")) }
        }
      }
    }
  }

  /// Reduces an entry's intents on a copy of the state, after this sender's earlier ones.
  ///
  /// If the reducer traps, this replica ends before the others get the entry, which would end them
  /// all, again at each restart.
  private func rehearse(_ next: Outgoing.Next) {
    var (replicated, header) = (store.state, next.header)
    header.act = nil
    replicated.table.owed = []
    let reduced = replicated.table.number(of: header.sender)
    let earlier = next.earlier.filter { $0.number > reduced }.flatMap(\.intents)
    _ = replicated.reduce(header, earlier + next.intents, at: replicated.position + 1, by: program)
  }

  /// Appends an entry, and retries failures: each number is reduced once.
  ///
  /// If a call doesn't return by the deadline, the alarm answers.
  private func append(_ entry: [UInt8], _ number: Int, until deadline: Duration) async {
    var attempts = Attempts()
    while timing.now() < deadline, !Task.isCancelled, !sender.change({ $0.isOver(number) }) {
      let (left, session) = (deadline - timing.now(), sender.change { $0.attempt(number) })
      var failure = LogError.refused("The replica has yet to compare itself with the log.")
      if let session {
        do throws(LogError) {
          let limit = min(left, .seconds(4))
          let position = try await log.append(entry, in: session.name, within: limit)
          sender.change { $0.appended(number, at: position) }
          return note(appendFailure: nil)
        } catch { failure = error }
      }
      sender.change { $0.failed(number, failure) }
      await attempts.pause(timing)
      // An engine refuses entries of an older session, and a lost link is shown as such.
      if let session, session == sender.session, !Task.isCancelled, store.state.link == .live {
        note(appendFailure: "\(failure)")
      }
    }
    sender.answer { $0.end(number) }
  }

  /// Shows why entries can't be appended in the status, and reports when that begins and ends.
  private func note(appendFailure reason: String?) {
    let before = sender.change { outgoing in
      defer { outgoing.failure = reason }
      return outgoing.failure
    }
    guard reason != before else { return }
    store.dispatch(AppendFailed(reason: reason))
    if let reason, before == nil { report(.appendsFail(reason)) }
    if reason == nil { report(.appendsWork) }
  }
}
