/// A place in a log: 1 for its first entry, 2 for the second.
public typealias LogPosition = Int

/// Orders the intents of a cluster.
///
/// Everything that knows the engine is behind this protocol.
///
/// Entries are bytes. An engine gives each entry one position and keeps it on as many machines as
/// configured. It shows every reader the same entries at the same positions.
///
/// An engine may lose a reply, take an entry twice, show one twice or fail at any time:
/// ``SharedStore`` handles that. It must never give two readers different entries at one position,
/// or move an entry.
public protocol Log: Sendable {
  /// Puts an entry at the end, unless another session has begun.
  ///
  /// A replica compares its last entry with the log in each new session, and sends nothing before:
  /// the server may have lost entries.
  ///
  /// - Parameters:
  ///   - entry: up to ``SharedLimits/entry`` bytes.
  ///   - session: the ``LogPage/session`` in which the replica has compared itself with the log; nil
  ///     for any.
  ///   - limit: how long to try.
  /// - Returns: the entry's position.
  /// - Throws: ``LogError/refused(_:)`` if the entry is certainly not in the log and never will be,
  ///   also if the session has ended; ``LogError/unknown(_:)`` if it may be, or may still arrive.
  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition

  /// Reads entries in order, waiting for the first.
  ///
  /// A page has at most about 1 MiB, or one entry, so that a slow link delivers it within the limit.
  ///
  /// - Parameters:
  ///   - position: the first position to read.
  ///   - limit: about how long to wait for an entry.
  /// - Returns: the entries that are there, or none if none came in time, also if the log ends
  ///   before `position`. The first page of a session comes at once, even without entries. A canceled
  ///   task stops waiting.
  /// - Throws: ``LogError/cut(_:)``, ``LogError/trimmed(first:)``.
  func read(from position: LogPosition, within limit: Duration) async throws(LogError) -> LogPage

  /// Reads one entry on the server that takes appends, not on one that follows it.
  ///
  /// It is read in the session of the last page, or in a later one. The default uses
  /// ``read(from:within:)``.
  ///
  /// - Parameters:
  ///   - position: the entry's position.
  ///   - limit: how long to try.
  /// - Returns: the entry, or nil if the log ends before it.
  /// - Throws: ``LogError/cut(_:)``, ``LogError/trimmed(first:)``.
  func entry(
    at position: LogPosition, within limit: Duration
  ) async throws(LogError) -> LogEntry?

  /// The newest snapshot, or nil if none was kept.
  ///
  /// - Throws: ``LogError/cut(_:)`` if it can't be read now.
  func snapshot() async throws(LogError) -> LogSnapshot?

  /// Keeps a snapshot in place of the previous one, unless that is newer or another session has begun,
  /// and drops old entries.
  ///
  /// A server that has lost entries must get no snapshot of them, nor drop entries for it. A snapshot
  /// beyond the log's end isn't newer than any other.
  ///
  /// - Parameters:
  ///   - snapshot: readers see it only when it is whole.
  ///   - position: entries before it may go once the snapshot is kept.
  ///   - session: the ``LogPage/session`` of the page with the snapshot's entry; nil for any.
  /// - Throws: ``LogError/cut(_:)`` if that isn't possible now; the old snapshot is still there.
  ///   ``LogError/refused(_:)`` if the session has ended.
  func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
  ) async throws(LogError)
}

extension Log {
  /// Reads one entry as the first of a page.
  public func entry(
    at position: LogPosition, within limit: Duration
  ) async throws(LogError) -> LogEntry? {
    let page = try await read(from: position, within: limit)
    if let entry = page.entries.first(where: { $0.position == position }) { return entry }
    if page.end >= position { throw .cut("Entry \(position) did not come in time.") }
    return nil
  }
}

/// Entries that were read together.
public struct LogPage: Sendable {
  /// Identifies the log.
  ///
  /// A log that was deleted and recreated has another value.
  public var log: String

  /// Identifies the session with the server in which the page was read.
  ///
  /// It changes with each connection to a server that may have lost entries, because it was restored
  /// from a backup or promoted. It is empty if the engine doesn't distinguish sessions.
  public var session: String

  /// The last position known to have an entry, from which a replica computes its lag.
  public var end: LogPosition

  /// The entries, in order.
  public var entries: [LogEntry]

  /// Makes a page.
  public init(log: String, session: String = "", end: LogPosition, entries: [LogEntry]) {
    self.log = log
    self.session = session
    self.end = end
    self.entries = entries
  }
}

/// An entry and its position.
public struct LogEntry: Sendable, Equatable {
  /// The position.
  public var position: LogPosition

  /// The bytes that were appended.
  public var bytes: [UInt8]

  /// Makes an entry.
  public init(position: LogPosition, bytes: [UInt8]) {
    self.position = position
    self.bytes = bytes
  }
}

/// The result of all entries up to a position, from which a later replica begins.
public struct LogSnapshot: Sendable, Equatable {
  /// The last entry that it includes.
  public var position: LogPosition

  /// The bytes that ``SharedStore`` wrote: the log's identity, the table and the state.
  public var bytes: [UInt8]

  /// Makes a snapshot.
  public init(position: LogPosition, bytes: [UInt8]) {
    self.position = position
    self.bytes = bytes
  }
}

/// Why a call of an engine failed.
public enum LogError: Error, Equatable, CustomStringConvertible {
  /// The entry is not in the log, and never will be.
  case refused(String)

  /// The entry may be in the log, or may still arrive.
  case unknown(String)

  /// The log cannot be reached now.
  case cut(String)

  /// The entries before `first` are gone.
  case trimmed(first: LogPosition)

  /// The engine's message.
  public var description: String {
    switch self {
    case .refused(let reason), .unknown(let reason), .cut(let reason): reason
    case .trimmed(let first): "The log begins at \(first)."
    }
  }
}
