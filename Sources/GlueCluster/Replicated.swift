import Foundation
import Glue
import GlueJournal

/// The state that all replicas agree on, and the state of this replica alone.
///
/// `state` follows from the log alone: only entries change it, and the types keep local intents
/// out. The table holds the other data that must be equal everywhere.
public struct Replicated<State: Sendable, Local: Sendable>: Sendable {
  /// The state that shared intents led to, the same on every replica at the same position.
  public internal(set) var state: State

  /// The state that intents without a name in the format led to, on this replica.
  public internal(set) var local: Local

  /// The data that accompanies the state in every replica and every snapshot.
  public internal(set) var table = ReplicatedTable()

  /// Whether this replica follows the log at the moment.
  public internal(set) var link = LogLink.connecting

  /// The owed effects that this replica can't do or can't send the results of.
  var failing: [OwedID: OwedFailure] = [:]

  /// Why the engine takes no entries; nil: it does.
  var appendFailure: String?

  /// When this replica last read an entry of each label as it came.
  var heard: [String: Date] = [:]

  /// The last entry that the log is known to have.
  var end = 0

  /// The last entry of the log that `state` includes.
  public var position: LogPosition { table.position }
}

/// A replica's connection to the log.
public enum LogLink: Equatable, Sendable {
  /// The replica has not read anything yet.
  case connecting

  /// The replica follows the log.
  case live

  /// The replica can't follow at the moment, and tries again.
  case cut(String)

  /// The replica doesn't follow anymore.
  case stopped(SharedStoreError)
}

/// The parts of a program that reduce entries.
struct Program<State: Codable & Sendable>: Sendable {
  let format: JournalFormat<State>
  let versions: Versions<State>

  /// Identifies this process as a sender.
  let me: String
}

extension Replicated where State: Codable {
  /// Reduces an entry of the log, by the version in force before it.
  ///
  /// - Returns: the effects that this replica starts: those of its own entries.
  mutating func reduce(
    _ header: Entry.Header, _ intents: [any Intent], at position: LogPosition,
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

  /// Applies the entry's act; false if its intents don't count.
  private mutating func act(
    of header: Entry.Header, at position: LogPosition, _ versions: Versions<State>
  ) -> Bool {
    upgrade(header.act, versions)
    return table.apply(header, at: position)
  }

  /// Moves to the next version.
  ///
  /// A migration that throws does so everywhere, so all replicas stay.
  private mutating func upgrade(_ act: Entry.Act?, _ versions: Versions<State>) {
    guard let next = table.acts(act), let version = versions[next] else { return }
    var migrated = state
    do { try version.migrate(&migrated) } catch { return }
    state = migrated
    table.upgrade(to: next)
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
