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

private func isOlder(_ a: FencingToken, _ b: FencingToken) -> Bool {
  (a.revision, a.id.position, a.id.index) < (b.revision, b.id.position, b.id.index)
}

/// The owned effects that this replica is doing: those in the table, while it is the owner.
final class Duties: Sendable {
  typealias Work = @Sendable (any Effect, FencingToken) async throws -> [any Intent]?

  private struct Doing {
    var works: [Work] = []
    var tasks: [FencingToken: Task<Void, Never>] = [:]
    var hasEnded = false

    /// The tasks in the order of their effects, because a dictionary's differs from run to run.
    var ordered: [Task<Void, Never>] {
      tasks.sorted { isOlder($0.key, $1.key) }.map(\.value)
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

  init<State>(
    _ program: Program<State>, sender: Sender, timing: Timing,
    report: @escaping @Sendable (SharedStoreEvent) -> Void
  ) {
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    me = program.me
    sends = program.format.names(Send(LinkChanged(link: .live)))
    read = { try program.format.effect(from: Array($0.line.utf8)[...]) }
    (self.sender, self.timing, self.report) = (sender, timing, report)
  }

  /// Whether this replica can do some effects: those with work, and each ``/Glue/Send``.
  var canDoSome: Bool { sends || doing.withLock { !$0.works.isEmpty } }

  /// Adds the work of one type and restarts all owed effects, because some may have waited for it.
  func add(_ work: @escaping Work, _ table: ReplicatedTable) {
    doing.withLock { $0.works.append(work) }
    restart(table)
  }

  /// Starts this owner's effects, and cancels those that it no longer owns.
  func follow(_ table: ReplicatedTable) {
    if !table.owed.isEmpty { changed.yield() }
    let mine = table.owner.sender == me ? table.owed : []
    doing.withLock { doing in
      guard !doing.hasEnded, !mine.isEmpty || !doing.tasks.isEmpty else { return }
      let tokens = mine.map { FencingToken(revision: table.owner.revision, id: $0.id) }
      let gone = Set(doing.tasks.keys).subtracting(tokens)
      for token in gone.sorted(by: isOlder) { doing.tasks.removeValue(forKey: token)?.cancel() }
      for (owed, token) in zip(mine, tokens) where doing.tasks[token] == nil {
        let history = sender.history
        doing.tasks[token] = Task(executorPreference: timing.executor) {
          await self.carryOut(owed, token, in: history)
        }
      }
    }
  }

  /// Starts the effects of a table that replaces another one.
  func restart(_ table: ReplicatedTable) {
    doing.withLock { doing in
      for task in doing.ordered { task.cancel() }
      doing.tasks = [:]
    }
    follow(table)
  }

  /// Cancels everything and returns the tasks to wait for.
  func cancel() -> [Task<Void, Never>] {
    let tasks = doing.withLock { doing in
      defer { (doing.tasks, doing.hasEnded) = ([:], true) }
      return doing.ordered
    }
    for task in tasks { task.cancel() }
    return tasks
  }

  /// Attempts the effect until it succeeds, then sends `done` until that has come back.
  private func carryOut(_ owed: Owed, _ token: FencingToken, in history: Int) async {
    var problem: String?
    while !Task.isCancelled {
      do {
        let intents = try await results(of: owed, token)
        let done = Entry.Act.done(token.id, revision: token.revision)
        while !Task.isCancelled, (try? await sender.send(intents, done, in: history)) == nil {
          try? await timing.sleep(.seconds(1))
        }
        return
      } catch {
        let impossible = error as? Impossible
        let reason = impossible?.reason ?? "it threw: \(error)"
        if problem != reason, !Task.isCancelled {
          report(.cannotDo(token.id, effect: owed.line, reason))
        }
        problem = reason
        if impossible != nil { return }
        try? await timing.sleep(.seconds(1))
      }
    }
  }

  /// A failure that stays until the program changes or calls `own` again.
  private struct Impossible: Error { let reason: String }

  private func results(of owed: Owed, _ token: FencingToken) async throws -> [any Intent] {
    let effect: any Effect
    do { effect = try read(owed) } catch { throw Impossible(reason: "\(error)") }
    if let send = effect as? Send { return [send.intent] }
    for work in doing.withLock({ $0.works }) {
      if let intents = try await work(effect, token) { return intents }
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
  ///     a second.
  public func own<E: Effect>(
    _ type: E.Type, work: @escaping @Sendable (E, FencingToken) async throws -> [any Intent]
  ) {
    replica.duties.add(
      { effect, token in
        guard let effect = effect as? E else { return nil }
        return try await work(effect, token)
      }, store.state.table)
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
        let (table, link) = (store.state.table, store.state.link)
        let number = table.owner.sender.map { table.number(of: $0) } ?? 0
        if link != .live || seen?.owner != table.owner || seen?.number != number {
          (seen, since) = ((table.owner, number), timing.now())
        }
        let isSilent = table.owner.sender == nil || timing.now() - since > lease
        if table.owner.sender == program.me {
          _ = try? await sender.send([], nil)
        } else if link == .live, isSilent {
          _ = try? await sender.send([], .claim(after: table.owner.revision))
        }
        try? await timing.sleep(lease / 3)
      }
    }
  }
}
