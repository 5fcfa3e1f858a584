/// Why an intent was not shared, or a replica follows the log no longer.
public enum SharedStoreError: Error, Equatable, Sendable {
  /// The intent is not in the log and never will be: sending it again is safe.
  case notSent(String)

  /// The intent may be in the log, or may still come: ``SharedStore/outcome(of:)`` finds out.
  case unknownOutcome(Ticket)

  /// The intent does not encode, or is larger than an entry may be.
  case unsendable(String)

  /// The log is at a version that this program does not know: start one that does.
  case version(log: Int, known: ClosedRange<Int>, position: Position)

  /// What stands in the log there cannot be read.
  case unreadable(position: Position, String)

  /// The log was deleted and made anew while this replica followed it.
  case anew(String)

  /// Another replica was shown other entries up to there: the engine does not keep its word, and
  /// which of the replicas is right can't be known.
  case diverged(position: Position)

  /// ``SharedStore/close()`` was called.
  case closed
}

/// Why ``SharedStore/upgrade(to:without:)`` upgraded nothing.
public enum UpgradeError: Error, Equatable, Sendable {
  /// These replicas don't know the version, or have a state that differs from another one's.
  case notReady([String])

  /// The migration threw, or what it made does not decode; or an owed effect does not.
  case migration(String)

  /// This program doesn't know the version.
  case unknownVersion(Int)

  /// The log couldn't be reached.
  case log(SharedStoreError)
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
  static let lines = entry - 4_000

  /// How many intents share an entry.
  public static let intents = 1_000
}
