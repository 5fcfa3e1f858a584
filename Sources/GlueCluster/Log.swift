/// A place in a log: 1 for its first entry, and one more for each that follows.
public typealias Position = Int

/// What orders the intents of a cluster: all that knows an engine stands behind this.
///
/// Entries are bytes. An engine gives each one position, keeps it on as many machines as it was
/// asked to, and shows the same entries at the same positions to every reader. It may lose a reply,
/// take an entry twice, show one twice or fail at any time: ``SharedStore`` stands that. What it
/// must never do is give two readers different entries at one position, or move an entry.
public protocol Log: Sendable {
  /// Puts an entry at the end.
  ///
  /// - Parameters:
  ///   - entry: up to ``SharedLimits/entry`` bytes.
  ///   - limit: how long to try.
  /// - Returns: the position that it has.
  /// - Throws: ``LogError/refused(_:)`` where it is certain that the entry is not in the log and
  ///   never will be; ``LogError/unknown(_:)`` where it may be, or may still come.
  func append(_ entry: [UInt8], within limit: Duration) async throws(LogError) -> Position

  /// Reads entries in order, waiting for the first.
  ///
  /// - Parameters:
  ///   - position: the first that is wanted.
  ///   - limit: how long to wait for an entry, about.
  /// - Returns: those that are there, or no entry if none came in time, also where the log ends
  ///   before `position`. A task that is cancelled waits no longer.
  /// - Throws: ``LogError/cut(_:)``, ``LogError/trimmed(first:)``.
  func read(from position: Position, within limit: Duration) async throws(LogError) -> Page

  /// The newest snapshot, if one was kept.
  ///
  /// - Throws: ``LogError/cut(_:)`` where it cannot be read now.
  func snapshot() async throws(LogError) -> Snapshot?

  /// Keeps a snapshot instead of the one before it, unless that one is newer, and drops old entries.
  ///
  /// - Parameters:
  ///   - snapshot: is whole before anybody is shown it.
  ///   - position: entries before it may go once the snapshot is kept.
  /// - Throws: ``LogError/cut(_:)`` where that is not possible now; the old snapshot is still there.
  func keep(_ snapshot: Snapshot, trimmingBelow position: Position) async throws(LogError)
}

/// Entries that were read together.
public struct Page: Sendable {
  /// Which log it is: another one where the log was deleted and made anew.
  public var log: String

  /// The last position that is known to have an entry, for telling how far behind a replica is.
  public var end: Position

  /// The entries, in order.
  public var entries: [LogEntry]

  /// Makes a page.
  public init(log: String, end: Position, entries: [LogEntry]) {
    self.log = log
    self.end = end
    self.entries = entries
  }
}

/// An entry and its place.
public struct LogEntry: Sendable, Equatable {
  /// The place.
  public var position: Position

  /// What was appended.
  public var bytes: [UInt8]

  /// Makes an entry.
  public init(position: Position, bytes: [UInt8]) {
    self.position = position
    self.bytes = bytes
  }
}

/// What the entries up to a position lead to, for those who begin later.
public struct Snapshot: Sendable, Equatable {
  /// The last entry that it includes.
  public var position: Position

  /// What ``SharedStore`` wrote: the state, the senders, and what goes with them.
  public var bytes: [UInt8]

  /// Makes a snapshot.
  public init(position: Position, bytes: [UInt8]) {
    self.position = position
    self.bytes = bytes
  }
}

/// Why an engine did not do what it was asked to.
public enum LogError: Error, Equatable, CustomStringConvertible {
  /// The entry is not in the log, and never will be.
  case refused(String)

  /// The entry may be in the log, or may still come to be.
  case unknown(String)

  /// The log cannot be reached now.
  case cut(String)

  /// The entries before `first` are gone.
  case trimmed(first: Position)

  /// What the engine said.
  public var description: String {
    switch self {
    case .refused(let reason), .unknown(let reason), .cut(let reason): reason
    case .trimmed(let first): "The log begins at \(first)."
    }
  }
}
