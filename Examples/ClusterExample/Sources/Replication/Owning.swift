import Glue
import Synchronization

/// What tells a target who wants something of it, and for which time.
public struct Token: Hashable, Sendable {
  /// Grows with each owner.
  ///
  /// A target that has seen a greater one refuses this one.
  public let revision: Int

  /// The same each time that the effect is done, so that a target can do it once.
  public let id: OwedID
}

/// The owned effects that this replica is doing: what the table says, while it is the owner.
final class Duties: Sendable {
  typealias Work = @Sendable (any OwnedEffect, Token) async throws -> [any Intent]?

  private struct Doing {
    var works: [Work] = []
    var tasks: [Token: Task<Void, Never>] = [:]
    var hasEnded = false
  }

  private let doing = Mutex(Doing())
  private let sender: Sender
  private let names: Names
  private let timing: Timing

  init(sender: Sender, names: Names, timing: Timing) {
    self.sender = sender
    self.names = names
    self.timing = timing
  }

  func add(_ work: @escaping Work) {
    doing.withLock { $0.works.append(work) }
  }

  /// Starts what the owner owes, and cancels what another one owes now.
  func follow(_ table: Table, me: String) {
    let mine = table.owner.sender == me ? table.owed : []
    doing.withLock { doing in
      guard !doing.hasEnded, !mine.isEmpty || !doing.tasks.isEmpty else { return }
      let tokens = mine.map { Token(revision: table.owner.revision, id: $0.id) }
      let gone = doing.tasks.keys.filter { !tokens.contains($0) }
      for token in gone { doing.tasks.removeValue(forKey: token)?.cancel() }
      for (owed, token) in zip(mine, tokens) where doing.tasks[token] == nil {
        doing.tasks[token] = Task { await self.carryOut(owed, token) }
      }
    }
  }

  /// Cancels everything, and returns what is to be waited for.
  func cancel() -> [Task<Void, Never>] {
    let tasks = doing.withLock { doing in
      defer { (doing.tasks, doing.hasEnded) = ([:], true) }
      return doing.tasks.values.map { $0 }
    }
    for task in tasks { task.cancel() }
    return tasks
  }

  /// Does it until it has been done, and says so until that has come back.
  private func carryOut(_ owed: Owed, _ token: Token) async {
    while !Task.isCancelled {
      if let intents = await attempt(owed, token) {
        let done = Entry.Act.done(token.id, revision: token.revision)
        while !Task.isCancelled, (try? await sender.send(intents, done)) == nil {
          try? await timing.sleep(.seconds(1))
        }
        return
      }
      try? await timing.sleep(.seconds(1))
    }
  }

  private func attempt(_ owed: Owed, _ token: Token) async -> [any Intent]? {
    let value = try? names.value(of: Array(owed.line.utf8))
    guard let effect = value as? any OwnedEffect else { return nil }
    for work in doing.withLock({ $0.works }) {
      if let intents = try? await work(effect, token) { return intents }
    }
    return nil
  }
}

extension Replica {
  /// Shows that the owner lives if this is the owner, and stands in if it has been silent.
  ///
  /// What an election goes by is in the log: the claim that comes first wins. Time says only when to
  /// claim, so clocks that differ do no harm.
  func standForElection() async {
    var seen: (owner: Owner, number: Int)?
    var since = timing.now()
    while !Task.isCancelled {
      let (table, link) = (store.state.table, store.state.link)
      let number = table.owner.sender.map { table.senders[$0, default: 0] } ?? 0
      if link != .live || seen?.owner != table.owner || seen?.number != number {
        (seen, since) = ((table.owner, number), timing.now())
      }
      if table.owner.sender == sender.name {
        _ = try? await sender.send([], nil)
      } else if link == .live, table.owner.sender == nil || timing.now() - since > lease {
        _ = try? await sender.send([], .claim(after: table.owner.revision))
      }
      try? await timing.sleep(lease / 3)
    }
  }
}
