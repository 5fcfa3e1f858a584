import Glue

/// The state that all replicas agree on, beside what only this one knows.
///
/// `state` follows from the log alone: only entries change it, and by type a local intent cannot.
/// What must be equal everywhere for that stands in the table beside it.
public struct Replicated<State: Sendable, Local: Sendable>: Sendable {
  /// What the shared intents led to, the same on every replica at the same position.
  public internal(set) var state: State

  /// What the intents that have no name in the log led to, on this replica.
  public internal(set) var local: Local

  /// What goes with the state in every replica and every snapshot.
  public internal(set) var table = Table()

  /// Whether this replica follows the log just now.
  public internal(set) var link = Link.connecting

  /// The last entry of the log that `state` includes.
  public var position: Position { table.position }
}

/// What all replicas know beside the state.
public struct Table: Codable, Equatable, Sendable {
  /// The last entry of the log that was reduced.
  public internal(set) var position = 0

  /// Differs, but for a chance of 1 in 2^64, if any entry up to there does.
  var digest: UInt64 = 0

  /// The last number of each sender: an entry whose number is not above it came before.
  var senders: [String: Int] = [:]

  /// Who starts the effects that need one owner.
  public internal(set) var owner = Owner()

  /// The effects that an owner has not done yet, in order.
  var owed: [Owed] = []
}

/// Who starts the effects that need one owner.
public struct Owner: Codable, Equatable, Sendable {
  /// The replica; nil before the first claim.
  public internal(set) var sender: String?

  /// The position at which it became the owner: each owner's is greater than those before.
  public internal(set) var revision = 0
}

/// An effect that is to be done by the owner: the entry that led to it and its place there.
public struct OwedID: Codable, Hashable, Sendable {
  /// The entry whose intents led to the effect.
  public let position: Position

  /// Which one of that entry's.
  public let index: Int
}

struct Owed: Codable, Equatable, Sendable {
  let id: OwedID

  /// The effect, as a line of ``Names``.
  let line: String
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

extension Replicated {
  /// Reduces an entry of the log.
  ///
  /// - Returns: the effects that this replica starts: those of its own entries.
  mutating func reduce(
    _ entry: Entry, at position: Position, me: String, names: Names, by reducer: Reducer<State>
  ) -> [any Effect] {
    let header = entry.header
    table.position = position
    guard header.number > table.senders[header.sender, default: 0] else { return [] }
    table.senders[header.sender] = header.number
    guard act(of: header, at: position) else { return [] }

    var effects: [any Effect] = []
    for intent in entry.intents { effects += reducer(&state, intent) }
    let owed = effects.compactMap { $0 as? any OwnedEffect }
    for (index, effect) in owed.enumerated() {
      table.owed.append(names.owed(effect, OwedID(position: position, index: index)))
    }
    guard header.sender == me else { return [] }
    return owed.isEmpty ? effects : effects.filter { !($0 is any OwnedEffect) }
  }

  /// What an entry does beside its intents; false if they don't count.
  private mutating func act(of header: Entry.Header, at position: Position) -> Bool {
    switch header.act {
    case nil: break
    case .claim(let revision):
      guard table.owner.revision == revision else { return false }
      table.owner = Owner(sender: header.sender, revision: position)
    case .done(let id, let revision):
      // The owner of an older revision: somebody else has taken over, and does it again.
      guard table.owner.revision == revision, table.owner.sender == header.sender,
        let index = table.owed.firstIndex(where: { $0.id == id })
      else { return false }
      table.owed.remove(at: index)
    }
    return true
  }
}

extension Names {
  fileprivate func owed(_ effect: any OwnedEffect, _ id: OwedID) -> Owed {
    do {
      return Owed(id: id, line: String(decoding: try line(of: effect), as: UTF8.self))
    } catch {
      fatalError(
        """
        Glue: an effect that one owner starts cannot be kept: \(error)
        Wrong: Names(.intent("order", Order.self))
        Right: Names(.intent("order", Order.self), .effect("mail", \(type(of: effect)).self))
        """)
    }
  }
}
