/// Why an intent was not shared, or why a replica stopped following the log.
public enum SharedStoreError: Error, Equatable, Sendable {
  /// The intent is not in the log and never will be: sending it again is safe.
  case notSent(String)

  /// These live replicas can't read the intent, so it was not sent: the reason, and the cure.
  case notReady([String], String)

  /// The intent may be in the log or may still arrive: ``SharedStore/outcome(of:)`` finds out.
  case unknownOutcome(SendTicket)

  /// The intent does not encode, does not decode again, or is larger than an entry may be.
  case unsendable(String)

  /// The log is at a version that this program doesn't know: start a program that does.
  case version(log: Int, known: ClosedRange<Int>, position: LogPosition)

  /// The log's entry or snapshot at that position can't be read.
  case unreadable(position: LogPosition, String)

  /// The log was deleted and recreated while this replica followed it.
  case logRecreated(String)

  /// Another replica has read different entries up to there. The engine broke its contract, and
  /// nothing shows which replica is right.
  case diverged(position: LogPosition)

  /// ``SharedStore/close(within:)`` was called.
  case closed
}

extension SharedStoreError {
  /// Whether this replica sends nothing anymore.
  var isFinal: Bool {
    switch self {
    case .notSent, .notReady, .unknownOutcome, .unsendable: false
    case .version, .unreadable, .logRecreated, .diverged, .closed: true
    }
  }

  /// The case's name, without what differs from one attempt to the next.
  var kind: String { String("\(self)".prefix { $0 != "(" }) }
}

/// Why ``SharedStore/upgrade(to:without:)`` upgraded nothing.
public enum UpgradeError: Error, Equatable, Sendable {
  /// These replicas don't know the version, or their state differs from another replica's.
  case notReady([String])

  /// The migration threw, its result doesn't encode and decode, or an owed effect doesn't decode.
  case migration(String)

  /// This program doesn't know the version.
  case unknownVersion(Int)

  /// The log couldn't be reached.
  case log(SharedStoreError)
}

/// Identifies an intent whose outcome is unknown.
public struct SendTicket: Hashable, Sendable {
  let number: Int
}

/// Sizes that all engines keep to.
public enum SharedLimits {
  /// The most bytes of an entry: half of what NATS accepts by default.
  public static let entry = 512 * 1024

  /// The most bytes of an entry's intents; the rest is for its header.
  static let lines = entry - 4_000

  /// The most intents that share an entry.
  public static let intents = 1_000
}
