/// How safe a commit must be before the store notifies anything of it (J3).
public enum Durability: Hashable, Sendable {
  /// The commit is on the disk, and survives a power failure.
  ///
  /// After a sync of several commits, the next one waits up to 200 µs for as many.
  case synced

  /// The kernel has the commit, and a sync starts after at most this time. The commit survives its
  /// process. A power failure can lose the commits since the last sync.
  case interval(Duration)

  /// The kernel has the commit, which survives its process. The kernel decides when the disk has
  /// it.
  case written
}

/// When the journal records states besides the intents.
public enum Snapshots: Hashable, Sendable {
  /// When the commits since the last state are larger than it, and larger than 1 MiB.
  case bySize

  /// Also with every *n*th commit, so that a ``Recording`` can find the commit where a reducer
  /// differs. With 1, each commit has its state.
  case every(Int)
}

/// The response to a reducer that departs from the recording, and to a recorded state with a value
/// that the state's type doesn't read, or reads in another way.
public enum OnDivergence: Hashable, Sendable {
  /// The journal reports it, and the store continues.
  ///
  /// The journal keeps copies of the files that hold an unread value, until you remove them.
  case report

  /// Opening the journal throws for such a value, and making the store for such a reducer. The
  /// recorded commits are unchanged.
  case refuse
}

struct Options: Sendable {
  let durability: Durability
  let snapshots: Snapshots
  let keeping: Int
  let onDivergence: OnDivergence
  let onFailure: (@Sendable (JournalFailure) -> Void)?
  let report: @Sendable (String) -> Void

  /// The size in bytes that a log must exceed before a new state follows.
  var smallestLog = 1 << 20

  /// After a digest the next one waits this many times its duration.
  var digestPause = 64

  /// How long a digest may take under the store's lock, in nanoseconds.
  var slowDigest = 100_000

  /// Commits have digests while the state takes at most this many bytes, because a digest of a larger
  /// one would take milliseconds on the thread that delivers.
  var largestDigested = 1 << 18

  /// A state of at most this many bytes is decoded before its file is placed.
  var largestDecoded = 1 << 20

  func keepsState(after commit: Int) -> Bool {
    if case .every(let count) = snapshots { commit % max(count, 1) == 0 } else { false }
  }
}
