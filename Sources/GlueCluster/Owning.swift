public import Glue
import GlueJournal

/// Identifies an effect and the owner that does it, for the effect's target.
public struct FencingToken: Hashable, Sendable {
  /// Grows with each owner.
  ///
  /// A target that has seen a greater revision refuses this one.
  public let revision: Int

  /// The same on every attempt, so that a target can act once.
  public let id: OwedID
}

/// The owned effects that this replica is doing: those in the table, while it is the owner.
final class Duties: Sendable {
  typealias Work = @Sendable (any Effect, FencingToken) async throws -> [any Intent]?

  private struct Doing {
    var works: [Work] = []

    /// The runs of the effects that this owner owes, also of those that have ended.
    var runs: [FencingToken: Int] = [:]

    /// All runs that have not ended, even if their effects are owed no longer: until its result is
    /// queued and has come back, an effect counts as running (E4).
    var running: [Int: (owed: Owed, task: Task<Void, Never>)] = [:]
    var begun = 0
    var takesMore = true

    /// How many owed effects were looked at, for tests.
    var looks = 0
    var waiting: [AsyncStream<Void>.Continuation] = []

    /// All tasks in the order of their beginnings, because a dictionary's differs from run to run.
    var tasks: [Task<Void, Never>] { running.sorted { $0.key < $1.key }.map(\.value.task) }

    func ordered(_ runs: [FencingToken: Int]) -> [FencingToken] {
      runs.sorted { $0.value < $1.value }.map(\.key)
    }

    mutating func forget(_ token: FencingToken) {
      if let run = runs.removeValue(forKey: token) { running[run]?.task.cancel() }
    }
  }

  /// Yields when an effect may be owed.
  let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation
  private let doing = Locked(Doing())
  private let me: String
  private let sends: Bool
  private let read: @Sendable (Owed) throws -> any Effect
  private let sender: Sender
  private let timing: Timing
  private let report: @Sendable (SharedStoreEvent) -> Void
  private let table: @Sendable () -> ReplicatedTable
  private let note: @Sendable (OwedFailing) -> Void

  init<State, Local>(
    _ program: Program<State>, of store: Store<Replicated<State, Local>>, sender: Sender,
    timing: Timing, report: @escaping @Sendable (SharedStoreEvent) -> Void
  ) {
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    me = program.me
    sends = program.format.names(Send(LinkChanged(link: .live)))
    read = { try program.format.effect(from: Array($0.line.utf8)[...]) }
    table = { store.state.table }
    note = { store.dispatch($0) }
    (self.sender, self.timing, self.report) = (sender, timing, report)
  }

  /// Whether this replica can do some effects: those with work, and each ``/Glue/Send``.
  var canDoSome: Bool { sends || doing.withLock { !$0.works.isEmpty } }

  var looks: Int { doing.withLock { $0.looks } }

  /// Whether this replica may become the owner.
  var takesMore: Bool { doing.withLock { $0.takesMore } }

  /// Adds the work of one type and restarts all owed effects, because some may have waited for it.
  func add(_ work: @escaping Work) {
    doing.withLock { $0.works.append(work) }
    restart()
  }

  /// Starts the effects of a table that replaces another one.
  func restart() {
    doing.withLock { doing in
      for token in doing.ordered(doing.runs) { doing.forget(token) }
      start(&doing) { table() }
    }
  }

  /// Starts this owner's effects, and cancels those that it no longer owns.
  func follow(_ table: ReplicatedTable) {
    doing.withLock { doing in
      doing.looks += table.owed.count
      let mine = table.owner.sender == me ? table.owed : []
      let tokens = Set(mine.map { FencingToken(revision: table.owner.revision, id: $0.id) })
      let gone = doing.runs.filter { !tokens.contains($0.key) }
      for token in doing.ordered(gone) { doing.forget(token) }
      start(&doing) { table }
    }
  }

  /// Follows one entry: if the owner stays, it looks at that entry's effects alone.
  func follow(_ table: ReplicatedTable, after owner: EffectOwner, done: OwedID?) {
    guard table.owner == owner else { return follow(table) }
    guard !table.owed.isEmpty || done != nil else { return }
    doing.withLock { doing in
      if let done { doing.forget(FencingToken(revision: owner.revision, id: done)) }
      var newest = table
      newest.owed = table.owed.reversed().prefix { $0.id.position == table.position }.reversed()
      start(&doing) { newest }
    }
    if !table.owed.isEmpty { changed.yield() }
  }

  /// Starts those that are not begun.
  ///
  /// The history is read before the table: if the log goes back between them, the effects start anew.
  private func start(_ doing: inout Doing, of table: () -> ReplicatedTable) {
    let history = sender.history
    let table = table()
    if !table.owed.isEmpty { changed.yield() }
    guard doing.takesMore, table.owner.sender == me else { return }
    doing.looks += table.owed.count
    for owed in table.owed {
      let token = FencingToken(revision: table.owner.revision, id: owed.id)
      guard doing.runs[token] == nil else { continue }
      doing.begun += 1
      let run = doing.begun
      doing.runs[token] = run
      let task = Task(executorPreference: timing.executor) {
        await self.carryOut(owed, Run(number: run, token: token, history: history))
      }
      doing.running[run] = (owed, task)
    }
  }

  /// Takes no more effects, cancels those that run, and waits until they have ended (E4).
  ///
  /// One that ends meanwhile still sends its result.
  ///
  /// - Returns: the effects that had not ended in time.
  func end(within limit: Duration) async -> [OwedID: String] {
    let deadline = timing.now() + limit
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let tasks = doing.withLock { doing in
      doing.takesMore = false
      if doing.running.isEmpty { end.finish() } else { doing.waiting.append(end) }
      return doing.tasks
    }
    for task in tasks { task.cancel() }
    let timer = Task(executorPreference: timing.executor) { [timing] in
      try await timing.waitUntil(deadline)
      end.finish()
    }
    // A task of its own, because a canceled caller waits as well.
    await Task(executorPreference: timing.executor) { for await _ in ends {} }.value
    timer.cancel()
    return doing.withLock { doing in
      Dictionary(doing.running.values.map { ($0.owed.id, $0.owed.line) }) { first, _ in first }
    }
  }

  /// Cancels everything; results are sent no longer.
  func stop() {
    let tasks = doing.withLock { doing in
      (doing.runs, doing.takesMore) = ([:], false)
      return doing.tasks
    }
    for task in tasks { task.cancel() }
  }

  private struct Run {
    let number: Int
    let token: FencingToken
    let history: Int
  }

  private func isOwed(_ run: Run) -> Bool { doing.withLock { $0.runs[run.token] == run.number } }

  /// Attempts the effect until it succeeds, then sends its result.
  private func carryOut(_ owed: Owed, _ run: Run) async {
    var problem: String?
    attempts: while !Task.isCancelled {
      do {
        let intents = try await results(of: owed, run.token)
        if problem != nil { note(OwedFailing(id: owed.id, reason: nil)) }
        await finish(owed, intents, run)
        break
      } catch {
        let impossible = error as? Impossible
        let reason = impossible?.reason ?? "it threw: \(error)"
        if problem != reason, !Task.isCancelled {
          note(OwedFailing(id: owed.id, reason: reason))
          report(.cannotDo(owed.id, effect: owed.line, reason))
        }
        problem = reason
        if impossible != nil { break attempts }
        try? await timing.sleep(.seconds(1))
      }
    }
    let waiting = doing.withLock { doing -> [AsyncStream<Void>.Continuation] in
      doing.running[run.number] = nil
      return doing.running.isEmpty ? doing.waiting : []
    }
    for waiting in waiting { waiting.finish() }
  }

  /// Sends an effect's result until it has come back: once, if the replica is closing.
  private func finish(_ owed: Owed, _ intents: [any Intent], _ run: Run) async {
    let done = Entry.Act.done(owed.id, revision: run.token.revision)
    let backoff = Backoff(from: .seconds(1), limit: .seconds(60))
    var (attempt, reported) = (0, Set<String>())
    while isOwed(run) {
      do {
        _ = try await sender.send(intents, done, in: run.history)
        return
      } catch {
        guard !Task.isCancelled, isOwed(run), !error.isFinal else { return }
        if reported.insert(error.kind).inserted {
          note(OwedFailing(id: owed.id, reason: "Its result can't be sent: \(error)"))
          report(.resultNotSent(owed.id, effect: owed.line, error))
        }
        try? await timing.sleep(backoff.delay(attempt))
        attempt += 1
      }
    }
  }

  /// A failure that stays until the program changes or calls `own` again.
  private struct Impossible: Error { let reason: String }

  private func results(of owed: Owed, _ token: FencingToken) async throws -> [any Intent] {
    let owedEffect: any Effect
    do { owedEffect = try read(owed) } catch { throw Impossible(reason: "\(error)") }
    let part = owedEffect as? PartEffect
    let effect = part?.effect ?? owedEffect
    if let send = effect as? Send { return [send.intent] }
    for work in doing.withLock({ $0.works }) {
      if let intents = try await work(effect, token) {
        return intents.map { part?.address($0) ?? $0 }
      }
    }
    throw Impossible(reason: "own(\(type(of: effect)).self) was not called")
  }
}

extension SharedStore {
  /// Does the work of one type of owned effects whenever this replica is the owner.
  ///
  ///     shared.own(Mail.self) { mail, token in
  ///       try await post(mail, idempotencyKey: "\(token.id)", fence: token.revision)
  ///       return [OrderIntent.confirmed(mail.order)]
  ///     }
  ///
  /// A replica that calls this stands for election. An owner that was suspended may resume in the
  /// middle of `work` after another owner has started it again. Its result is then not reduced, and
  /// the target recognizes it by the token.
  ///
  /// A ``/Glue/Send`` that the format names needs no work.
  ///
  /// - Parameters:
  ///   - type: the effects' type, which has a name in the format.
  ///   - work: does one effect. The intents that it returns are reduced together, once, and
  ///     complete the effect. If it throws, the error is reported, and `work` is called again after
  ///     a second. If they can't be sent, that is reported once for each reason, and they are sent again
  ///     after a second, then two, up to a minute.
  public func own<E: Effect>(
    _ type: E.Type, work: @escaping @Sendable (E, FencingToken) async throws -> [any Intent]
  ) {
    replica.duties.add { effect, token in
      guard let effect = effect as? E else { return nil }
      return try await work(effect, token)
    }
  }
}

extension Replica {
  /// While an effect is owed, the owner shows that it is alive.
  ///
  /// Another replica claims ownership if there is no owner or the owner has been silent for the
  /// lease.
  ///
  /// The log decides an election: the first claim after a revision wins. Time decides only when to
  /// claim, so differing clocks do no harm. While nothing is owed, nothing is appended.
  func standForElection() async {
    for await _ in duties.changes where duties.canDoSome {
      var seen: (owner: EffectOwner, number: Int)?
      var since = timing.now()
      while !Task.isCancelled, !store.state.table.owed.isEmpty {
        let history = sender.history
        let (table, link) = (store.state.table, store.state.link)
        let number = table.owner.sender.map { table.number(of: $0) } ?? 0
        if link != .live || seen?.owner != table.owner || seen?.number != number {
          (seen, since) = ((table.owner, number), timing.now())
        }
        let isSilent = table.owner.sender == nil || timing.now() - since > lease
        if table.owner.sender == program.me {
          _ = try? await sender.send([], nil)
        } else if link == .live, isSilent, duties.takesMore {
          _ = try? await sender.send([], .claim(after: table.owner.revision), in: history)
        }
        try? await timing.sleep(lease / 3)
      }
    }
  }
}
