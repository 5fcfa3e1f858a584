/// The data besides the state that is the same on all replicas.
public struct ReplicatedTable: Codable, Equatable, Sendable {
  /// All replicas forget senders this often, after this many entries: parts of the protocol.
  static let (period, memory) = (10_000, 100_000)

  /// The position of the last reduced entry.
  public internal(set) var position = 0

  /// The version in force; 0 before the first entry.
  public internal(set) var version = 0

  /// Digest of all entries up to there: equal for different entries with a chance of 1 in 2^64.
  var digest: UInt64 = 0

  /// Senders that are not forgotten.
  ///
  /// An entry whose number isn't above its sender's is a repeat.
  package internal(set) var senders: [String: Known] = [:]

  /// An entry of a forgotten sender that had not read this far is void.
  var floor = 0

  /// Which replica starts the effects that need one owner.
  public internal(set) var owner = EffectOwner()

  /// The effects that an owner has not done yet, in order.
  var owed: [Owed] = []

  /// The newest snapshot that an entry has announced.
  var kept = Kept()

  package struct Known: Codable, Equatable, Sendable {
    package var number: Int

    /// The position of its first entry, or of the first since it was forgotten.
    var first: LogPosition

    /// The position of its last entry.
    package var last: LogPosition
    package var replica: String
    package var knows: Int
    package var isGone = false
    var differs = false

    /// The names of the intents that it reads; nil if it has ended, or hasn't said.
    var names: [String]?
  }

  struct Kept: Codable, Equatable, Sendable {
    var position = 0
    var version = 0
  }

  /// The outcome of reducing an entry.
  enum Outcome: Equatable {
    case reduced
    case repeated
    case void(String)
  }

  /// Searches by halves, because owed effects are in order.
  func indexOfOwed(_ id: OwedID) -> Int? {
    var (low, high) = (0, owed.count)
    while low < high {
      let middle = (low + high) / 2
      if owed[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < owed.count && owed[low].id == id ? low : nil
  }

  var seen: Entry.Seen { Entry.Seen(position: position, digest: digest) }

  func number(of sender: String) -> Int { senders[sender]?.number ?? 0 }

  /// The version in force at an entry; a log's first entry says with which version the log begins.
  func version(at header: Entry.Header) -> Int {
    version == 0 ? header.begins ?? 1 : version
  }

  func outcome(of header: Entry.Header) -> Outcome {
    if let known = senders[header.sender] {
      if header.number <= known.number { return .repeated }
    } else if header.seen.position < floor {
      return .void("It took so long that its sender was forgotten.")
    }
    let version = version(at: header)
    if let needs = header.needs, needs > version {
      return .void("It needs version \(needs), and the log is at \(version).")
    }
    return .reduced
  }

  /// Counts an entry.
  ///
  /// Its sender is forgotten later if it sends no other.
  mutating func count(_ header: Entry.Header, at position: LogPosition) {
    defer { pass(position) }
    version = version(at: header)
    let known = senders[header.sender]
    let isForgotten = known == nil && header.seen.position < floor
    guard header.number > known?.number ?? 0, !isForgotten else { return }
    let isGone = known?.isGone ?? false
    senders[header.sender] = Known(
      number: header.number, first: known?.first ?? position, last: position,
      replica: header.replica, knows: header.knows, isGone: isGone,
      differs: known?.differs ?? false,
      names: isGone ? nil : header.names ?? known?.names)
    // A start has read the log to its end before it sends, and so has seen older ones. If the first
    // entry of one comes later, the next entry of the living start has seen it.
    for (rival, other) in rivals(of: header.sender, labeled: header.replica)
    where other.first <= header.seen.position {
      end(rival)
    }
  }

  /// The other live starts of a sender's label; none if the sender is gone.
  ///
  /// A sender that the table lacks counts as live, because its next entry makes it so.
  func rivals(
    of sender: String, labeled label: String
  ) -> some Collection<(key: String, value: Known)> {
    let isGone = senders[sender]?.isGone == true
    return senders.lazy.filter {
      !isGone && !$0.value.isGone && $0.value.replica == label && $0.key != sender
    }
  }

  /// A copy in which the other live starts of a sender's label have ended.
  ///
  /// An entry that the sender makes from this table ends them, because it has seen their first ones.
  func withoutRivals(of sender: String, labeled label: String) -> ReplicatedTable {
    var table = self
    for (rival, _) in rivals(of: sender, labeled: label) { table.end(rival) }
    return table
  }

  /// Passes an entry, which counts or is void.
  mutating func pass(_ position: LogPosition) {
    self.position = position
    if position % Self.period == 0 { forget() }
  }

  private mutating func forget() {
    floor = max(floor, position - Self.memory)
    senders = senders.filter { $0.value.last > floor }
  }

  /// Marks a sender as gone.
  ///
  /// If it is the owner, the next claim need not wait for the lease.
  mutating func end(_ sender: String) {
    senders[sender]?.isGone = true
    senders[sender]?.names = nil
    if owner.sender == sender { owner.sender = nil }
  }

  /// Applies the act of a counted entry, but for an upgrade; false if the entry's intents don't count.
  mutating func apply(_ header: Entry.Header, at position: LogPosition) -> Bool {
    switch header.act {
    case nil, .upgrade: break
    case .claim(let revision):
      guard owner.revision == revision else { return false }
      owner = EffectOwner(sender: header.sender, revision: position)
    case .done(let id, let revision):
      // A revision has one owner. If it is older, another owner has taken over and does it again.
      guard owner.revision == revision, let index = indexOfOwed(id) else { return false }
      owed.remove(at: index)
    case .gone: end(header.sender)
    case .kept(let position, let version, _):
      if position > kept.position { kept = Kept(position: position, version: version) }
    case .differs: senders[header.sender]?.differs = true
    }
    return true
  }

  /// Moves to a version; an owner that doesn't know it is the owner no longer.
  mutating func upgrade(to next: Int) {
    version = next
    if let sender = owner.sender, senders[sender]?.knows ?? 0 < next { owner.sender = nil }
  }

  /// The labels of replicas that prevent an upgrade: they don't know the version, or their states
  /// differ.
  func unready(for next: Int, without: [String] = []) -> [String] {
    let unready = senders.values.filter {
      !$0.isGone && ($0.knows < next || $0.differs) && !without.contains($0.replica)
    }
    return Set(unready.map(\.replica)).sorted()
  }

  /// Whether a sender has said what its program knows; one that has ended needn't.
  func hasAnnounced(_ sender: String) -> Bool {
    senders[sender].map { $0.isGone || $0.names != nil } ?? false
  }

  /// Whether a sender's next entry says what its program knows: also after a pause, because the sender
  /// may be forgotten before that entry arrives.
  func needsNames(of sender: String) -> Bool {
    guard hasAnnounced(sender), let known = senders[sender] else { return true }
    return !known.isGone && position - known.last > Self.period
  }

  /// The names that live replicas haven't announced, with those replicas' labels.
  ///
  /// The sender itself doesn't count, nor do replicas that don't know the version, because they stop
  /// before they read the intents.
  func lacking(_ names: [String], for sender: String) -> [String: Set<String>] {
    var lacking: [String: Set<String>] = [:]
    for (other, known) in senders
    where other != sender && !known.isGone && known.knows >= version && known.names != names {
      for name in names where known.names?.contains(name) != true {
        lacking[name, default: []].insert(known.replica)
      }
    }
    return lacking
  }

  /// The version to which an entry that isn't counted yet moves the log; nil: it upgrades nothing.
  func upgrade(by header: Entry.Header, at position: LogPosition) -> Int? {
    guard case .upgrade = header.act, outcome(of: header) == .reduced else { return nil }
    var counted = self
    counted.count(header, at: position)
    return counted.acts(header.act)
  }

  /// The version to which the act of a counted entry moves the log.
  func acts(_ act: Entry.Act?) -> Int? {
    guard case .upgrade(let next, let without) = act, version == next - 1,
      unready(for: next, without: without).isEmpty
    else { return nil }
    return next
  }
}

/// Which replica starts the effects that need one owner.
public struct EffectOwner: Codable, Equatable, Sendable {
  /// One start of a replica; nil if there is no owner.
  public internal(set) var sender: String?

  /// The position at which it became the owner: greater than the revision of each earlier owner.
  public internal(set) var revision = 0
}

/// Identifies an effect that the owner does, by the entry that led to it and its place there.
public struct OwedID: Codable, Hashable, Sendable, Comparable {
  /// The entry whose intents led to the effect.
  public let position: LogPosition

  /// The effect's place among that entry's owned effects.
  public let index: Int

  /// Orders effects by their entries.
  public static func < (one: OwedID, other: OwedID) -> Bool {
    (one.position, one.index) < (other.position, other.index)
  }

  /// Such as `12.0`.
  var name: String { "\(position).\(index)" }
}

struct Owed: Codable, Equatable, Sendable {
  let id: OwedID

  /// The effect, as the format writes it.
  let line: String
}
