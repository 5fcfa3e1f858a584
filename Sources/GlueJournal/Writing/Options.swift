/// When a commit is safe: before the world is told of it (J3).
public enum Durability: Hashable, Sendable {
  /// On the disk: it survives a power failure.
  case synced

  /// With the kernel, and on the disk after at most a time more: it survives its process, and if
  /// the power fails, the last ones may be lost that were made in that time.
  case interval(Duration)

  /// With the kernel: it survives its process. The disk is the kernel's business.
  case written
}

/// When states are recorded besides the intents.
public enum Snapshots: Hashable, Sendable {
  /// When the commits since the last state take more room than it, and more than 1 MiB.
  case bySize

  /// Besides, with every so many commits: to find by ``Recording`` which one a reducer does
  /// otherwise. With 1 it is with each.
  case every(Int)
}

/// What is done where the reducer of today goes another way than what was recorded.
public enum OnDivergence: Hashable, Sendable {
  /// It is reported, and the store goes on.
  case report

  /// No store is made, and nothing is changed.
  case refuse
}

struct Options: Sendable {
  let durability: Durability
  let snapshots: Snapshots
  let keeping: Int
  let onDivergence: OnDivergence
  let onFailure: (@Sendable (JournalFailure) -> Void)?
  let report: @Sendable (String) -> Void

  /// The smallest log, in bytes, that is worth a new state.
  var smallestLog = 1 << 20

  /// How many times its duration passes after a digest before the next.
  var digestPause = 64

  /// How many nanoseconds a digest may take under the store's lock.
  var slowDigest = 100_000

  func keepsState(after commit: Int) -> Bool {
    if case .every(let count) = snapshots { commit % max(count, 1) == 0 } else { false }
  }
}
