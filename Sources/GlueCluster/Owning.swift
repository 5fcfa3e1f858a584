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
  /// Makes the work of an effect; nil: it is of another type.
  typealias Work = @Sendable (any Effect) -> OwedWork?

  private struct Doing {
    var works: [Work] = []

    /// The runs of the effects that this owner owes, also of those that have ended.
    var runs: [FencingToken: Int] = [:]

    /// All runs that have not ended, even if their effects are owed no longer: until its result is
    /// queued and has come back, an effect counts as running.
    var running: [Int: (owed: Owed, task: Task<Void, Never>)] = [:]
    var begun = 0
    var takesMore = true

    /// The effects that are owed up to this position have begun; 0: perhaps none.
    var lookedAt = 0

    /// When the log was last read to its end; nil while this replica is behind or out of reach.
    var heard: Duration?

    /// The owner, and whether anything is owed, as the election has last seen them.
    var shown: (owner: EffectOwner, isOwing: Bool)?

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

    /// Cancels the runs of effects that aren't among those owed; the others begin at the next end.
    mutating func forget(allBut owed: Set<FencingToken> = []) {
      for token in ordered(runs.filter { !owed.contains($0.key) }) { forget(token) }
      lookedAt = 0
    }
  }

  /// Yields when an effect is owed, when the owner changes, and when a wait for a lease has ended.
  let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation
  private let doing = Locked(Doing())
  private let me: String
  private let sends: Bool
  private let read: @Sendable (Owed) throws -> any Effect
  private let sender: Sender
  private let timing: Timing
  private let lease: Duration
  private let report: @Sendable (SharedStoreEvent) -> Void
  private let table: @Sendable () -> ReplicatedTable
  private let show: @Sendable (OwedFailing) -> Void

  init<State, Local>(
    _ program: Program<State>, of store: Store<Replicated<State, Local>>, sender: Sender,
    timing: Timing, lease: Duration, report: @escaping @Sendable (SharedStoreEvent) -> Void
  ) {
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    me = program.me
    sends = program.format.names(Send(LinkChanged(link: .live)))
    read = { try program.format.effect(from: Array($0.line.utf8)[...]) }
    table = { store.state.table }
    show = { store.dispatch($0) }
    (self.sender, self.timing, self.lease, self.report) = (sender, timing, lease, report)
  }

  /// Whether this replica can do some effects: those with work, and each ``/Glue/Send``.
  var canDoSome: Bool { sends || doing.withLock { !$0.works.isEmpty } }

  var looks: Int { doing.withLock { $0.looks } }

  /// Whether this replica may become the owner.
  var takesMore: Bool { doing.withLock { $0.takesMore } }

  /// Adds the work of one type and restarts all owed effects, because some may have waited for it.
  ///
  /// The history is read before the table: if the log goes back between them, the effects start anew.
  func add(_ work: @escaping Work) {
    doing.withLock { doing in
      doing.works.append(work)
      doing.shown = nil
      doing.forget()
      let history = sender.history
      if let heard = doing.heard, timing.now() - heard < lease { start(&doing, table(), history) }
    }
  }

  /// Cancels all runs, because entries that they follow from may be lost.
  func cancelAll() {
    doing.withLock { doing in
      doing.heard = nil
      doing.forget()
    }
  }

  /// Cancels what this owner no longer owes by a table that replaces another one.
  func replace(by table: ReplicatedTable) {
    let mine = table.owner.sender == me ? table.owed : []
    let owed = Set(mine.map { FencingToken(revision: table.owner.revision, id: $0.id) })
    doing.withLock { doing in
      doing.looks += table.owed.count
      doing.forget(allBut: owed)
    }
  }

  /// Follows one entry: cancels what this owner no longer owes.
  ///
  /// Nothing begins, because a later entry may name another owner.
  func follow(_ table: ReplicatedTable, after owner: EffectOwner, done: OwedID?) {
    doing.withLock { doing in
      if table.owner != owner {
        doing.forget()
      } else if let done {
        doing.forget(FencingToken(revision: owner.revision, id: done))
      }
    }
  }

  /// Begins what this owner owes, at the log's end as it was read.
  ///
  /// - Complexity: the number of effects that became owed since the last end; all, if the owner has
  ///   changed.
  func begin(_ table: ReplicatedTable) {
    let history = sender.history
    doing.withLock { doing in
      doing.heard = timing.now()
      start(&doing, table, history)
    }
  }

  /// Begins and repeats nothing until the log's next end, because another owner may be named there.
  func pause() { doing.withLock { $0.heard = nil } }

  /// Whether an attempt may be repeated: a longer silence may have cost this owner its office.
  private var hears: Bool {
    doing.withLock { doing in doing.heard.map { timing.now() - $0 < lease } ?? false }
  }

  /// Lets the election look again.
  func wake() { changed.yield() }

  private func start(_ doing: inout Doing, _ table: ReplicatedTable, _ history: Int) {
    let news = (owner: table.owner, isOwing: !table.owed.isEmpty)
    if doing.shown.map({ $0 != news }) ?? true { changed.yield() }
    doing.shown = news
    guard doing.takesMore, table.owner.sender == me else { return }
    let lookedAt = doing.lookedAt
    for owed in table.owed.reversed().prefix(while: { $0.id.position > lookedAt }).reversed() {
      doing.looks += 1
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
    doing.lookedAt = table.position
  }

  /// Takes no more effects, cancels those that run, and waits until they have ended.
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

  /// Cancels everything, and ends the election; results are sent no longer.
  func stop() {
    let tasks = doing.withLock { doing in
      (doing.runs, doing.takesMore) = ([:], false)
      return doing.tasks
    }
    for task in tasks { task.cancel() }
    changed.finish()
  }

  private struct Run {
    let number: Int
    let token: FencingToken
    let history: Int
  }

  private func isOwed(_ run: Run) -> Bool { doing.withLock { $0.runs[run.token] == run.number } }

  /// Attempts the effect until it succeeds or is given up, then sends its result.
  private func carryOut(_ owed: Owed, _ run: Run) async {
    do {
      let work = try work(of: owed)
      let intents = await attempt(work, owed, run)
      if let intents { await finish(owed, intents, run, work) }
    } catch {
      note(owed, OwedFailure(reason: "\(error)", tries: 0, next: nil))
      report(.cannotDo(owed.id, effect: owed.line, "\(error)"))
    }
    let waiting = doing.withLock { doing -> [AsyncStream<Void>.Continuation] in
      doing.running[run.number] = nil
      return doing.running.isEmpty ? doing.waiting : []
    }
    for waiting in waiting { waiting.finish() }
  }

  /// The intents of the first attempt that succeeds, or of giving up; nil if the run is canceled.
  private func attempt(_ work: OwedWork, _ owed: Owed, _ run: Run) async -> [any Intent]? {
    var failure: OwedFailure?
    while !Task.isCancelled {
      do {
        let intents = try await work.attempt(run.token)
        if failure != nil { note(owed, nil) }
        return intents
      } catch {
        if Task.isCancelled { break }
        let (reason, tries) = ("it threw: \(error)", (failure?.tries ?? 0) + 1)
        let delay = work.delay(tries - 1)
        let new = OwedFailure(reason: reason, tries: tries, next: timing.date(delay))
        if let intents = work.giveUp(new) {
          report(.gaveUp(owed.id, effect: owed.line, reason))
          return intents
        }
        note(owed, new)
        if reason != failure?.reason { report(.cannotDo(owed.id, effect: owed.line, reason)) }
        failure = new
        repeat { try? await timing.sleep(delay) } while !hears && !Task.isCancelled
      }
    }
    return nil
  }

  /// Sends an effect's result until it has come back: once, if the replica is closing.
  private func finish(_ owed: Owed, _ intents: [any Intent], _ run: Run, _ work: OwedWork) async {
    let done = Entry.Act.done(owed.id, revision: run.token.revision)
    var (tries, reported) = (0, Set<String>())
    while isOwed(run) {
      do {
        _ = try await sender.send(intents, done, in: run.history)
        return
      } catch {
        guard !Task.isCancelled, isOwed(run), !error.isFinal else { return }
        let delay = work.delay(tries)
        tries += 1
        let reason = "Its result can't be sent: \(error)"
        note(owed, OwedFailure(reason: reason, tries: tries, next: timing.date(delay)))
        if reported.insert(error.kind).inserted {
          report(.resultNotSent(owed.id, effect: owed.line, error))
        }
        try? await timing.sleep(delay)
      }
    }
  }

  private func note(_ owed: Owed, _ failure: OwedFailure?) {
    show(OwedFailing(id: owed.id, failure: failure))
  }

  /// A failure that stays until the program changes or calls `own` again.
  private struct Impossible: Error, CustomStringConvertible { let description: String }

  private func work(of owed: Owed) throws -> OwedWork {
    let owedEffect = try read(owed)
    let part = owedEffect as? PartEffect
    let effect = part?.effect ?? owedEffect
    if let send = effect as? Send { return OwedWork { _ in [send.intent] } }
    for work in doing.withLock({ $0.works }) {
      if let work = work(effect) { return part.map(work.inside) ?? work }
    }
    throw Impossible(description: "own(\(type(of: effect)).self) was not called")
  }
}

/// The work of one owed effect.
struct OwedWork: Sendable {
  var retry = Backoff(from: .seconds(1), limit: .seconds(60))
  var giveUp: @Sendable (OwedFailure) -> [any Intent]? = { _ in nil }
  let attempt: @Sendable (FencingToken) async throws -> [any Intent]

  /// At least 10 ms, because a policy without waits would spin.
  func delay(_ tries: Int) -> Duration { max(retry.delay(tries), .milliseconds(10)) }

  /// The same work for a part, to which its intents go.
  func inside(_ part: PartEffect) -> OwedWork {
    OwedWork(retry: retry, giveUp: { giveUp($0)?.map(part.address) }) {
      try await attempt($0).map(part.address)
    }
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
  /// A replica that calls this stands for election. `work` begins when the replica has read the log to
  /// its end, and is repeated only while the replica hears the log. An owner that was suspended or cut
  /// off in the middle of `work` may still end it after another owner has started it again. Its result
  /// is then not reduced, and the target recognizes it by the token.
  ///
  /// A ``/Glue/Send`` that the format names needs no work.
  ///
  /// To give up what never succeeds, return intents from `giveUp`. They complete the effect as results
  /// do, so the state shows it:
  ///
  ///     shared.own(
  ///       Mail.self,
  ///       giveUp: { mail, failure in
  ///         failure.tries < 10 ? nil : [OrderIntent.undelivered(mail.order, failure.reason)]
  ///       }
  ///     ) { mail, token in … }
  ///
  /// - Parameters:
  ///   - type: the effects' type, which has a name in the format.
  ///   - retry: the waits after attempts that throw, and after results that can't be sent, each at least
  ///     10 ms: by default a second, then two, up to a minute.
  ///   - giveUp: is called when an attempt has thrown; nil: try again. A new owner counts from 1.
  ///   - work: does one effect. The intents that it returns are reduced together, once, and
  ///     complete the effect. If it throws, the error is reported, and `work` is called again. If they
  ///     can't be sent, that is reported once for each reason, and they are sent again.
  public func own<E: Effect>(
    _ type: E.Type, retry: Backoff = Backoff(from: .seconds(1), limit: .seconds(60)),
    giveUp: @escaping @Sendable (E, OwedFailure) -> [any Intent]? = { _, _ in nil },
    work: @escaping @Sendable (E, FencingToken) async throws -> [any Intent]
  ) {
    replica.duties.add { effect in
      guard let effect = effect as? E else { return nil }
      return OwedWork(retry: retry, giveUp: { giveUp(effect, $0) }) {
        try await work(effect, $0)
      }
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
    var heard: (owner: EffectOwner, number: Int)?
    var (since, shown) = (timing.now(), timing.now())
    var timer: Task<Void, any Error>?
    defer { timer?.cancel() }
    for await _ in duties.changes {
      timer?.cancel()
      let (table, link) = (store.state.table, store.state.link)
      guard duties.canDoSome, !table.owed.isEmpty else {
        heard = nil
        continue
      }
      let (now, known) = (timing.now(), (owner: table.owner, number: table.numberOfOwner))
      if heard == nil { shown = now }
      if link != .live || heard.map({ $0 != known }) ?? true { (heard, since) = (known, now) }
      var pause = lease / 3
      if table.owner.sender == program.me {
        if now - shown < pause {
          pause -= now - shown
        } else {
          shown = now
          _ = try? await sender.send([], nil, within: pause)
        }
      } else if table.owner.sender == nil || now - since > lease, link == .live {
        await claim(after: known)
      }
      timer = Task(executorPreference: timing.executor) { [timing, duties, pause] in
        try await timing.sleep(pause)
        duties.wake()
      }
    }
  }

  /// Claims ownership, unless the owner is heard meanwhile.
  ///
  /// This replica may have read the owner's last entries long ago, so it asks the log first. A claim
  /// that comes late could depose an owner that is heard again.
  private func claim(after heard: (owner: EffectOwner, number: Int)) async {
    let history = sender.history
    let hears = (try? await sender.send([], nil, within: lease / 3)) != nil
    let table = store.state.table
    guard hears, duties.takesMore, (table.owner, table.numberOfOwner) == heard else { return }
    _ = try? await sender.send(
      [], .claim(after: table.owner.revision), within: lease / 3, in: history)
  }
}

extension ReplicatedTable {
  /// The number of the owner's last entry, which grows while it is alive.
  fileprivate var numberOfOwner: Int { owner.sender.map(number) ?? 0 }
}

/// An owner is heard each third of its lease, and a log is read each second.
func checked(_ lease: Duration) -> Duration {
  guard lease >= .seconds(3) else {
    fatalError(
      """
      Glue: a lease of \(lease) is too short.
        Wrong: less than 3 seconds, because an owner that is only slow would be replaced
        Right: lease: .seconds(10)
      """)
  }
  return lease
}
