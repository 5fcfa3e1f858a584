public import Foundation

/// An event that an operator of a ``SharedStore`` should see.
public enum SharedStoreEvent: Equatable, Sendable, CustomStringConvertible {
  /// The replica can't follow the log at the moment; it tries again.
  case linkLost(String)

  /// The replica follows the log again.
  case linkBack

  /// The engine takes no entries: the reason. The replica tries again.
  case appendsFail(String)

  /// The engine takes entries again.
  case appendsWork

  /// No ``SharedStore`` made the entry at this position, so all replicas skip it.
  case strayEntry(position: LogPosition)

  /// The last start of this replica died while it reduced this entry, or handled its effects, by its
  /// ``ReductionMarker``.
  case diedReducing(position: LogPosition)

  /// The replica stopped following the log: see ``SharedStoreError`` for the cure.
  case stopped(SharedStoreError)

  /// The log has lost the entries after `to`, which this replica had read up to `from`.
  ///
  /// Its server was restored from a backup, or a standby that had not received them was promoted. A
  /// replica that starts says the same if the log's snapshot includes entries that are lost.
  ///
  /// This replica has sent nothing since, and follows the log anew from its snapshot. `acknowledged`
  /// has the positions of its own intents that are lost, which ``SharedStore/send(_:)`` had returned. If
  /// it had read more than 4,000 entries since, `to` and `acknowledged` reach back so far. Entries that
  /// the log has dropped count as kept.
  case logWentBack(from: LogPosition, to: LogPosition, acknowledged: [LogPosition])

  /// The replica has yet to reduce that many entries of the log.
  case behind(by: Int)

  /// A snapshot was not kept, so the log grows until a later one is.
  case snapshotFailed(position: LogPosition, String)

  /// Owned effects have a new owner, or none: its label.
  case ownerChanged(String?)

  /// This replica's state differs from the snapshot at a position, in the parts that `path` names.
  ///
  /// Programs with different reducers claim to be of one version. While a state differs, no upgrade
  /// acts.
  case differs(position: LogPosition, path: String)

  /// Another live replica has this one's label, or ``SharedStore/remove(replica:)`` was called with
  /// it. Both replicas report that.
  ///
  /// Upgrades, and intents with new names, wait for only one of them: give one another label, and
  /// restart both. They don't wait for one that was removed: restart it.
  case labelInUse(String)

  /// The log is at a new version.
  case upgraded(to: Int)

  /// This replica is the owner and can't do an owed effect: the effect, and the reason.
  case cannotDo(OwedID, effect: String, String)

  /// This replica is the owner and has given an owed effect up: the effect, and the last reason.
  ///
  /// Its intents of `giveUp` take the result's place.
  case gaveUp(OwedID, effect: String, String)

  /// This replica is the owner, has done an owed effect, and can't send its result: the effect, and the
  /// first error of its kind.
  ///
  /// It is tried again, after longer and longer pauses.
  case resultNotSent(OwedID, effect: String, SharedStoreError)

  /// These owned effects had not ended when ``SharedStore/close(within:)`` stopped waiting for them.
  ///
  /// The next owner waits for the lease, and does them again.
  case notHandedOver([OwedID: String])

  /// The event in one line.
  public var description: String {
    switch self {
    case .linkLost(let reason): "The log is out of reach: \(reason)"
    case .linkBack: "The log is followed again."
    case .appendsFail(let reason): "The log takes no entries: \(reason)"
    case .appendsWork: "The log takes entries again."
    case .strayEntry(let position):
      "The entry at \(position) was made by another program, and is skipped."
    case .diedReducing(let position):
      "The last start of this replica died while it reduced the entry at \(position)."
    case .stopped(let error): "The log is followed no longer: \(error)"
    case .logWentBack(let from, let to, let acknowledged):
      "The log went back from \(from) to \(to). It has lost "
        + (acknowledged.isEmpty
          ? "no intents that this replica had acknowledged."
          : "\(acknowledged.count) entries of intents that this replica had acknowledged, from "
            + "\(acknowledged[0]) on.")
    case .behind(let count): "This replica is \(count) entries behind the log."
    case .snapshotFailed(let position, let reason): "No snapshot was kept at \(position): \(reason)"
    case .ownerChanged(let replica): "The owner is \(replica ?? "no replica")."
    case .differs(let position, let path):
      "At \(position) this replica's state differs from the snapshot: \(path)"
    case .labelInUse(let label):
      "Another live replica has the label \(label), or this one was removed from the cluster."
    case .upgraded(let version): "The log is at version \(version)."
    case .cannotDo(let id, let effect, let reason):
      "Effect \(id.index) of entry \(id.position) can't be done here: \(effect): \(reason)"
    case .gaveUp(let id, let effect, let reason):
      "Effect \(id.index) of entry \(id.position) was given up: \(effect): \(reason)"
    case .resultNotSent(let id, let effect, let error):
      "The result of effect \(id.index) of entry \(id.position) can't be sent: \(effect): \(error)"
    case .notHandedOver(let effects):
      "The replica closed before these effects had ended: "
        + effects.sorted { $0.key < $1.key }.map { "\($0.key.name) \($0.value)" }.joined(
          separator: ", ")
    }
  }
}

extension SharedStoreEvent {
  /// How much an event matters to an operator. Its raw value is a level of swift-log:
  ///
  ///     report: { logger.log(level: .init(rawValue: $0.severity.rawValue)!, "\($0)") }
  public enum Severity: String, CaseIterable, Sendable {
    /// Nothing to do.
    case info

    /// The replica recovers on its own, unless the event comes again and again.
    case warning

    /// Something is lost or stays undone until an operator acts.
    case error
  }

  /// How much the event matters.
  public var severity: Severity {
    switch self {
    case .appendsWork, .linkBack, .ownerChanged, .upgraded: .info
    case .linkLost, .behind, .snapshotFailed, .strayEntry: .warning
    case .appendsFail, .cannotDo, .diedReducing, .differs, .gaveUp, .labelInUse, .logWentBack,
      .notHandedOver, .resultNotSent, .stopped:
      .error
    }
  }
}

/// The condition of a replica and its log, for a health endpoint and metrics.
public struct SharedStoreStatus: Equatable, Sendable {
  /// The replica's connection to the log.
  public let link: LogLink

  /// The last entry that its state includes.
  public let position: LogPosition

  /// How many further entries the log is known to have.
  public let lag: Int

  /// The version in force.
  public let version: Int

  /// The version that programs may leave out; nil until the newest snapshot is of the next.
  public let canDrop: Int?

  /// The label of the replica that starts owned effects; nil if there is none.
  public let owner: String?

  /// How many owned effects are not done yet.
  public let owed: Int

  /// The owed effects that this replica, as the owner, can't do or can't send the results of.
  public let failing: [OwedID: OwedFailure]

  /// Why the engine takes no entries of this replica; nil if it took the last one.
  public let appendFailure: String?

  /// The labels of replicas that have not ended, each with the newest version it knows.
  public let replicas: [String: Int]

  /// When this replica last read an entry of each of them, unless it was still catching up.
  ///
  /// A replica that sends nothing and owes no effects is silent.
  public let heard: [String: Date]
}

/// Why an owed effect is not done yet.
public struct OwedFailure: Equatable, Sendable, Encodable {
  /// The last reason.
  public let reason: String

  /// How often its owner has tried, since it became the owner.
  public let tries: Int

  /// When it tries again; nil if it waits for another program, or for a call of `own`.
  public let next: Date?
}

extension Replicated {
  /// The condition of this replica and its log.
  public var status: SharedStoreStatus {
    let live = table.senders.values.filter { !$0.isGone }
    let isKept = table.version > 1 && table.kept.version == table.version
    return SharedStoreStatus(
      link: link, position: position, lag: max(0, end - position), version: table.version,
      canDrop: isKept ? table.version - 1 : nil, owner: table.ownersLabel, owed: table.owed.count,
      failing: failing, appendFailure: appendFailure,
      replicas: Dictionary(live.map { ($0.replica, $0.knows) }, uniquingKeysWith: min),
      heard: heard.filter { label, _ in live.contains { $0.replica == label } })
  }
}

extension ReplicatedTable {
  var ownersLabel: String? { owner.sender.flatMap { senders[$0]?.replica } }
}
