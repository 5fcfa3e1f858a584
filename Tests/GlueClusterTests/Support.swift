import Foundation
import Glue
import GlueJournal
import ProcessSupport
import Synchronization
import Testing

@testable import GlueCluster

/// The tests' state: every line, in order, so that missing and repeated lines show.
struct Lines: Codable, Equatable, Sendable {
  var lines: [String] = []
  var mailed: [String] = []

  /// A part that version 2 adds.
  var title = ""
}

enum LineIntent: Intent, Codable, Equatable {
  case add(String)
  case ring(String)
  case order(String)
  case mailed(String)
}

/// Version 2's addition.
struct Rename: Intent, Codable, Equatable {
  let title: String
}

struct Ring: Effect, Equatable {
  let text: String
}

struct Mail: Effect, Codable, Equatable {
  let text: String
}

@Sendable func lines(state: inout Lines, intent: LineIntent) -> [any Effect] {
  switch intent {
  case .add(let text): state.lines.append(text)
  case .ring(let text):
    state.lines.append(text)
    return [Ring(text: text)]
  case .order(let text): return [Mail(text: text)]
  case .mailed(let text): state.mailed.append(text)
  }
  return []
}

func rename(state: inout Lines, intent: Rename) -> [any Effect] {
  state.title = intent.title
  return []
}

let first = SharedVersion<Lines>.version(1, reducer: lines)

/// The second version adds `Rename`, and its migration fills the title.
let second = SharedVersion<Lines>.version(
  2,
  reducer: combineReducers {
    lines; rename
  }, adds: { $0 is Rename }
) { state in
  state.title = "migrated at \(state.lines.count)"
}

let lineFormat = JournalFormat(
  of: Lines.self,
  intents: [.named("line", LineIntent.self), .named("rename", Rename.self)],
  effects: [.atLeastOnce("mail", Mail.self), .atMostOnce(Ring.self)])

func replica(
  of log: some Log, _ label: String = "a", versions: [SharedVersion<Lines>] = [first],
  format: JournalFormat<Lines> = lineFormat, snapshotEvery: Int = 10_000,
  deadline: Duration = .seconds(15), lease: Duration = .seconds(10),
  clock: any Clock<Duration> = JumpingClock(),
  report: @escaping @Sendable (SharedStoreEvent) -> Void = { _ in }
) -> SharedStore<Lines, [String]> {
  SharedStore(
    state: Lines(), versions: versions, local: [],
    localReducer: { local, intent in
      local.append("\(intent)")
      return []
    },
    format: format, replica: label, log: log, deadline: deadline, snapshotEvery: snapshotEvery,
    lease: lease, clock: clock, report: report)
}

extension Entry.Header {
  /// A header of an entry that a test writes by hand.
  init(_ sender: String, _ number: Int, knows: Int = 1, act: Entry.Act? = nil) {
    self.init(
      sender: sender, replica: sender, number: number, knows: knows, act: act,
      names: lineFormat.intentNames, seen: .init())
  }
}

extension SharedStore {
  /// Waits until this replica has reduced the entry at a position.
  func reached(_ position: LogPosition) async {
    for await reached in store.values(of: { $0.table.position }) where reached >= position {
      return
    }
  }

  /// Waits until an upgrade would wait for just these replicas.
  func waits(for labels: [String], before next: Int) async {
    for await unready in store.values(of: { $0.table.unready(for: next) })
    where unready == labels {
      return
    }
  }

  /// Sends a line in a task of the test's time.
  func sending(_ text: String) -> Task<LogPosition, any Error> {
    Task(executorPreference: JumpingTime.current) { try await self.send(LineIntent.add(text)) }
  }

  /// Sends until it succeeds, and never twice.
  func sendSurely(_ intent: some Intent) async throws(SharedStoreError) {
    while true {
      do throws(SharedStoreError) {
        try await send(intent)
        return
      } catch .notSent {
      } catch .unknownOutcome(let ticket) {
        if try await outcomeSurely(of: ticket) != nil { return }
      }
    }
  }

  /// A short deadline may pass while the reader still waits to retry.
  func catchUpSurely() async throws(SharedStoreError) {
    while true {
      do throws(SharedStoreError) {
        try await catchUp()
        return
      } catch .notSent {
      } catch .unknownOutcome {
      }
    }
  }

  func outcomeSurely(of ticket: SendTicket) async throws(SharedStoreError) -> LogPosition? {
    while true {
      do throws(SharedStoreError) {
        return try await outcome(of: ticket)
      } catch .notSent {
      } catch .unknownOutcome(let other) where other != ticket {
      }
    }
  }

  func link(where matches: (LogLink) -> Bool) async -> LogLink? {
    for await link in store.values(of: { $0.link }) where matches(link) { return link }
    return nil
  }
}

/// The ticket of an intent whose outcome is unknown.
func ticket(of sent: Task<LogPosition, any Error>) async throws -> SendTicket {
  let error = try await #require(throws: SharedStoreError.self) { try await sent.value }
  guard case .unknownOutcome(let ticket) = error else { throw error }
  return ticket
}

/// The notes of several tasks, in order.
final class Noted<Value: Sendable>: Sendable {
  private let noted = Locked<[Value]>([])
  private let changes = AsyncStream.makeStream(of: Void.self)

  var all: [Value] { noted.withLock { $0 } }

  func add(_ value: Value) {
    noted.withLock { $0.append(value) }
    changes.continuation.yield()
  }

  /// Waits until the notes satisfy a condition; one task at a time.
  func wait(until isDone: ([Value]) -> Bool) async {
    if isDone(all) { return }
    for await _ in changes.stream where isDone(all) { return }
  }
}

extension MemoryLog {
  /// Keeps a snapshot, and drops the entries before it.
  func keep(_ table: ReplicatedTable, _ state: Lines) async throws {
    let before = [digest(before: table.position)]
    let kept = try JSONEncoder().encode(Kept(log: "first", table: table, before: before))
    let line = try lineFormat.line(of: state)
    try await connection().keep(
      LogSnapshot(position: table.position, bytes: kept + [newline] + line),
      trimmingBelow: table.position, in: nil)
  }

  /// The digest of the entries before a position, in a log that has dropped none.
  func digest(before position: LogPosition) -> UInt64 {
    contents.withLock { $0.entries }.prefix(position - 1).reduce(0) {
      GlueCluster.digest(of: $1, after: $0)
    }
  }
}

/// A log in memory, of which a test changes some calls.
protocol WrappingLog: Log {
  var log: MemoryLog.Connection { get }
}

extension WrappingLog {
  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    try await log.append(entry, in: session, within: limit)
  }

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    try await log.read(from: first, within: limit)
  }

  func snapshot() async throws(LogError) -> LogSnapshot? { try await log.snapshot() }

  func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
  ) async throws(LogError) {
    try await log.keep(snapshot, trimmingBelow: position, in: session)
  }
}

/// An engine without sessions: all pages have this one.
struct PlainLog: WrappingLog {
  let log: MemoryLog.Connection
  var session = ""

  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    try await log.append(entry, in: nil, within: limit)
  }

  func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
  ) async throws(LogError) {
    try await log.keep(snapshot, trimmingBelow: position, in: nil)
  }

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    var page = try await log.read(from: first, within: limit)
    page.session = session
    return page
  }
}

/// Keeps snapshots as a closure says.
struct KeepingLog: WrappingLog {
  let log: MemoryLog.Connection
  private let keeping: @Sendable (LogSnapshot, LogPosition) async throws(LogError) -> Void

  init(
    _ log: MemoryLog.Connection,
    keeping: @escaping @Sendable (LogSnapshot, LogPosition) async throws(LogError) -> Void
  ) {
    (self.log, self.keeping) = (log, keeping)
  }

  func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
  ) async throws(LogError) {
    try await keeping(snapshot, position)
  }
}

extension SharedStore {
  /// Ends as a killed process does: without a word to the others.
  func crash() { stop() }

  func upgradeSurely(to version: Int) async throws(UpgradeError) {
    while true {
      do throws(UpgradeError) { return try await upgrade(to: version) } catch .log {
      }
    }
  }
}

/// Notes the headers of what a replica appends, and refuses it if asked to.
final class NotingLog: WrappingLog {
  let log: MemoryLog.Connection
  private let note: @Sendable (Entry.Header) -> Void

  init(_ log: MemoryLog.Connection, _ note: @escaping @Sendable (Entry.Header) -> Void) {
    (self.log, self.note) = (log, note)
  }

  func refuses(_ refuses: Bool) {
    var faults = MemoryLog.Faults()
    faults.refusals = refuses ? 1 : 0
    log.setFaults(faults)
  }

  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    if let header = try? Entry.header(of: entry) { note(header) }
    return try await log.append(entry, in: session, within: limit)
  }
}
