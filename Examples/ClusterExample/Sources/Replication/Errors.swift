/// Why an intent was not shared, or a replica follows the log no longer.
public enum SharedStoreError: Error, Equatable, Sendable {
  /// The intent is not in the log and never will be: sending it again is safe.
  case notSent(String)

  /// The intent may be in the log, or may still come: ``SharedStore/outcome(of:)`` finds out.
  case unknownOutcome(Ticket)

  /// The intent does not encode, or is larger than an entry may be.
  case unsendable(String)

  /// Replicas of two versions of a reducer would reach two states.
  case version(mine: Int, others: Int, position: Position)

  /// What stands in the log there cannot be read.
  case unreadable(position: Position, String)

  /// The log was deleted and made anew while this replica followed it.
  case anew(String)

  /// Another replica was shown other entries up to there: the engine does not keep its word, and
  /// nobody knows which of the replicas is right.
  case diverged(position: Position)

  /// ``SharedStore/close()`` was called.
  case closed
}

/// Stands for an intent whose outcome is not known.
public struct Ticket: Hashable, Sendable {
  let number: Int
}

/// Sizes that all engines keep to.
public enum SharedLimits {
  /// The bytes of an entry: half of what NATS takes unless told otherwise.
  public static let entry = 512 * 1024

  /// The bytes of an entry's intents; the rest is for its header.
  static let lines = entry - 1_000

  /// How many intents share an entry.
  public static let intents = 1_000
}
