import Glue
import GlueJournal

/// The state that all replicas agree on, beside what only this one knows.
///
/// `state` follows from the log alone: only entries change it, and by type a local intent cannot.
/// What must be equal everywhere for that stands in the table beside it.
public struct Replicated<State: Sendable, Local: Sendable>: Sendable {
  /// What the shared intents led to, the same on every replica at the same position.
  public internal(set) var state: State

  /// What the intents that have no name in the format led to, on this replica.
  public internal(set) var local: Local

  /// What goes with the state in every replica and every snapshot.
  public internal(set) var table = Table()

  /// Whether this replica follows the log just now.
  public internal(set) var link = Link.connecting

  /// The last entry that the log is known to have.
  var end = 0

  /// The last entry of the log that `state` includes.
  public var position: Position { table.position }
}

/// How a replica stands to the log.
public enum Link: Equatable, Sendable {
  /// It has not read anything yet.
  case connecting

  /// It follows.
  case live

  /// It cannot follow just now, and tries again.
  case cut(String)

  /// It will not follow any more.
  case stopped(SharedStoreError)
}

/// What a program makes of entries.
struct Program<State: Codable & Sendable>: Sendable {
  let format: JournalFormat<State>
  let versions: Versions<State>

  /// The sender that this process is.
  let me: String
}

extension Replicated where State: Codable {
  /// Reduces an entry of the log, by the version in force before it (U1).
  ///
  /// - Returns: the effects that this replica starts: those of its own entries.
  mutating func reduce(
    _ header: Entry.Header, _ intents: [any Intent], at position: Position,
    by program: Program<State>
  ) -> [any Effect] {
    let outcome = table.outcome(of: header)
    table.count(header, at: position)
    guard outcome == .reduced, act(of: header, at: position, program.versions),
      let version = program.versions[table.version]
    else { return [] }

    var effects: [any Effect] = []
    for intent in intents { effects += version.reducer(&state, intent) }
    let owed = effects.filter { program.format.names($0) }
    for (index, effect) in owed.enumerated() {
      let line = program.owedLine(of: effect)
      table.owed.append(Owed(id: OwedID(position: position, index: index), line: line))
    }
    guard header.sender == program.me else { return [] }
    return owed.isEmpty ? effects : effects.filter { !program.format.names($0) }
  }

  /// What an entry does beside its intents; false if they don't count.
  private mutating func act(
    of header: Entry.Header, at position: Position, _ versions: Versions<State>
  ) -> Bool {
    switch header.act {
    case nil: break
    case .claim(let revision):
      guard table.owner.revision == revision else { return false }
      table.owner = Owner(sender: header.sender, revision: position)
    case .done(let id, let revision):
      // A revision has one owner. One of an older revision: another has taken over, and does it again.
      guard table.owner.revision == revision,
        let index = table.owed.firstIndex(where: { $0.id == id })
      else { return false }
      table.owed.remove(at: index)
    case .gone: table.end(header.sender)
    case .upgrade: upgrade(header.act, versions)
    case .kept(let position, let version, _):
      if position > table.kept.position {
        table.kept = Table.Kept(position: position, version: version)
      }
    case .differs: table.senders[header.sender]?.differs = true
    }
    return true
  }

  /// Moves on to the next version, unless its migration throws: then all stay, for all throw (U5).
  private mutating func upgrade(_ act: Entry.Act?, _ versions: Versions<State>) {
    guard let next = table.acts(act), let version = versions[next] else { return }
    var migrated = state
    do { try version.migrate(&migrated) } catch { return }
    state = migrated
    table.version = next
    if let owner = table.owner.sender, table.senders[owner]?.knows ?? 0 < next {
      table.owner.sender = nil
    }
  }
}

extension Program {
  fileprivate func owedLine(of effect: any Effect) -> String {
    do { return String(decoding: try format.line(of: effect), as: UTF8.self) } catch {
      fatalError(
        """
        Glue: an effect that must happen can't be kept for its owner: \(error).
          Wrong: a value that JSON can't express, or an encode(to:) that throws
          Right: an effect that encodes for every state that reducers reach
        """)
    }
  }
}
