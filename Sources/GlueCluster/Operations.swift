/// What an operator of a ``SharedStore`` should see.
public enum SharedStoreEvent: Equatable, Sendable, CustomStringConvertible {
  /// The replica can't follow the log just now; it tries again.
  case linkLost(String)

  /// The replica follows the log again.
  case linkBack

  /// The replica follows no longer: see ``SharedStoreError`` for the cure.
  case stopped(SharedStoreError)

  /// The log has that many entries that the replica has yet to reduce.
  case behind(by: Int)

  /// A snapshot was not kept, so the log grows; the next one may be.
  case snapshotFailed(position: Position, String)

  /// Another replica, or none, starts the owned effects: its label.
  case ownerChanged(String?)

  /// This replica's state differs from the snapshot's at a position: its parts that do.
  ///
  /// Programs with different reducers say that they are of one version. No upgrade acts meanwhile.
  case differs(position: Position, path: String)

  /// The log is at a new version.
  case upgraded(to: Int)

  /// This replica is the owner, and can't do an effect that is owed: the effect, and why.
  case cannotDo(OwedID, effect: String, String)

  /// One line.
  public var description: String {
    switch self {
    case .linkLost(let reason): "The log is out of reach: \(reason)"
    case .linkBack: "The log is followed again."
    case .stopped(let error): "The log is followed no longer: \(error)"
    case .behind(let count): "This replica is \(count) entries behind the log."
    case .snapshotFailed(let position, let reason): "No snapshot was kept at \(position): \(reason)"
    case .ownerChanged(let replica): "The owner is \(replica ?? "no replica")."
    case .differs(let position, let path):
      "At \(position) this replica's state differs from the snapshot: \(path)"
    case .upgraded(let version): "The log is at version \(version)."
    case .cannotDo(let id, let effect, let reason):
      "Effect \(id.index) of entry \(id.position) can't be done here: \(effect): \(reason)"
    }
  }
}

/// How a replica and its log are, for a health endpoint and metrics.
public struct SharedStoreStatus: Equatable, Sendable {
  /// How the replica stands to the log.
  public let link: Link

  /// The last entry that its state includes.
  public let position: Position

  /// How many entries the log is known to have beyond that.
  public let lag: Int

  /// The version in force.
  public let version: Int

  /// The version that programs may leave out, once the newest snapshot is of the next one (U8).
  public let canDrop: Int?

  /// The label of the replica that starts owned effects; nil while none does.
  public let owner: String?

  /// How many owned effects are not done yet.
  public let owed: Int

  /// The labels of replicas that have not ended, each with the newest version it knows.
  public let replicas: [String: Int]
}

extension Replicated {
  /// How this replica and its log are.
  public var status: SharedStoreStatus {
    let live = table.senders.values.filter { !$0.isGone }
    let isKept = table.version > 1 && table.kept.version == table.version
    return SharedStoreStatus(
      link: link, position: position, lag: max(0, end - position), version: table.version,
      canDrop: isKept ? table.version - 1 : nil, owner: table.ownersLabel, owed: table.owed.count,
      replicas: Dictionary(live.map { ($0.replica, $0.knows) }, uniquingKeysWith: min))
  }
}

extension Table {
  var ownersLabel: String? { owner.sender.flatMap { senders[$0]?.replica } }
}
