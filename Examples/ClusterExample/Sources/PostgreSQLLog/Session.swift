import CPostgreSQL
import Foundation
import Glibc
import GlueCluster
import Synchronization

/// A connection to PostgreSQL that is made when it is needed, and used by one call at a time, on a
/// queue of its own.
///
/// A server that does not answer in time loses the connection: what it had been asked may still be
/// done, and its answer would come to the next call. Each statement is a transaction of its own, so
/// that a process which freezes between two holds no lock.
final class Session: Sendable {
  private struct State {
    var connection: UInt = 0

    /// The logs that this connection has seen to.
    var logs: Set<String> = []
    var waiters: [Waiter] = []

    /// Whether a watch is queued: a second one would keep calls waiting that have woken the first.
    var isWatched = false
  }

  private let address: String
  private let listens: Bool
  private let queue = DispatchQueue(label: "PostgreSQLLog")
  private let state = Mutex(State())

  /// What is written at one end wakes the queue, if it waits for notifications.
  private let wake: (out: Int32, into: Int32)

  init(_ address: String, listens: Bool = false) {
    self.address = address
    self.listens = listens
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "The system has no pipe left.")
    wake = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    PQfinish(OpaquePointer(bitPattern: state.withLock { $0.connection }))
    close(wake.out)
    close(wake.into)
  }

  /// Refuses what is no address.
  static func check(_ address: String) throws(LogError) {
    var problem: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(address, &problem)
    defer {
      PQconninfoFree(options)
      PQfreemem(problem)
    }
    if options == nil {
      throw .refused("\"\(address)\": " + trimmed(problem.map { String(cString: $0) } ?? ""))
    }
  }

  /// Uses the connection on its queue, for as long as it may take.
  func run<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable (Use) throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    let use = Use(session: self, end: ContinuousClock.now + limit)
    return try await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: Result { () throws(LogError) in try body(use) })
        watchIfNeeded()
      }
      interrupt()
    }.get()
  }

  /// Lets what waits for notifications look around.
  func interrupt() { _ = write(wake.into, "x", 1) }

  /// Waits for notifications behind the calls that are queued already.
  private func watchIfNeeded() {
    let isNeeded = state.withLock { state in
      if state.waiters.isEmpty || state.isWatched { return false }
      state.isWatched = true
      return true
    }
    guard isNeeded else { return }
    queue.async { [weak self] in
      self?.watch()
      self?.state.withLock { $0.isWatched = false }
      self?.watchIfNeeded()
    }
  }

  private func watch() {
    let use = Use(session: self, end: .now)
    var channels = use.notifications()
    let waiters = state.withLock { $0.waiters }
    if channels?.isEmpty == true, let end = waiters.map(\.end).min(),
      !waiters.contains(where: \.isOver)
    {
      use.poll(Int16(POLLIN), until: end, orWake: true)
      channels = use.notifications()
    }
    // Without a connection all look for themselves.
    let isDone = { (waiter: Waiter) in
      waiter.isOver || channels?.contains(waiter.channel) ?? true
    }
    let done = state.withLock { state in
      defer { state.waiters.removeAll(where: isDone) }
      return state.waiters.filter(isDone)
    }
    for waiter in done { waiter.resume() }
  }

  enum Parameter {
    case text(String)
    case bytes([UInt8])

    /// As libpq reads it: text ends with a zero, bytes have their length.
    fileprivate var buffer: [CChar] {
      switch self {
      case .text(let text): Array(text.utf8CString)
      case .bytes(let bytes): bytes.isEmpty ? [0] : bytes.map { CChar(bitPattern: $0) }
      }
    }

    fileprivate var count: Int32? {
      if case .bytes(let bytes) = self { Int32(bytes.count) } else { nil }
    }
  }

  struct Value {
    let bytes: [UInt8]

    /// A `bigint`, as the server sends it.
    var integer: Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
  }

  /// A call's use of the connection, on the queue.
  struct Use: Sendable {
    fileprivate let session: Session
    fileprivate let end: ContinuousClock.Instant

    private var connection: OpaquePointer? {
      OpaquePointer(bitPattern: session.state.withLock { $0.connection })
    }

    /// Connects, unless it is, and sees to it that the log is there.
    func connect(for log: String) throws(LogError) {
      if connection == nil {
        try open()
        for statement in setUp { _ = try query(statement, []) }
      }
      if session.state.withLock({ $0.logs.contains(log) }) { return }
      if session.listens { _ = try query("LISTEN \"glue_\(log)\"", []) }
      _ = try query(
        "INSERT INTO glue_logs (name) VALUES ($1) ON CONFLICT DO NOTHING", [.text(log)])
      session.state.withLock { _ = $0.logs.insert(log) }
    }

    private func open() throws(LogError) {
      // What stands in the address comes later, and counts.
      let options = [
        ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "5"),
      ]
      let words = options + [("dbname", session.address)]
      var keys = words.map { UnsafePointer(strdup($0.0)) } + [nil]
      var values = words.map { UnsafePointer(strdup($0.1)) } + [nil]
      defer { for word in keys + values { free(UnsafeMutablePointer(mutating: word)) } }
      let new = PQconnectdbParams(&keys, &values, 1)
      session.state.withLock { $0.connection = UInt(bitPattern: new) }
      guard PQstatus(new) == CONNECTION_OK else { throw failure() }
      PQsetnonblocking(new, 1)
      // What it notices on its way down would go to the standard error.
      PQsetNoticeProcessor(new, { _, _ in }, nil)
    }

    func disconnect() {
      PQfinish(connection)
      session.state.withLock { ($0.connection, $0.logs) = (0, []) }
    }

    func add(_ waiter: Waiter) { session.state.withLock { $0.waiters.append(waiter) } }

    /// Drops the connection, and says what it said.
    private func failure(_ reason: String? = nil) -> LogError {
      let text = reason ?? String(cString: PQerrorMessage(connection))
      disconnect()
      return .cut("PostgreSQL: " + trimmed(text))
    }

    /// Asks, and waits for the answer.
    func query(_ sql: String, _ parameters: [Parameter]) throws(LogError) -> [[Value?]] {
      guard send(sql, parameters) else { throw failure() }
      while PQflush(connection) == 1 { try wait(for: Int16(POLLIN | POLLOUT)) }
      var rows: [[Value?]] = []
      while true {
        while PQisBusy(connection) == 1 {
          try wait(for: Int16(POLLIN))
          guard PQconsumeInput(connection) == 1 else { throw failure() }
        }
        guard let result = PQgetResult(connection) else { return rows }
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else { throw failure() }
        rows = (0..<PQntuples(result)).map { row in
          (0..<PQnfields(result)).map { column in Self.value(result, row, column) }
        }
      }
    }

    private func send(_ sql: String, _ parameters: [Parameter]) -> Bool {
      let buffers = parameters.map(\.buffer)
      return Array(buffers.joined()).withUnsafeBufferPointer { joined in
        var start = 0
        let pointers = buffers.map { buffer in
          defer { start += buffer.count }
          return joined.baseAddress.map { $0 + start }
        }
        return PQsendQueryParams(
          connection, sql, Int32(parameters.count), nil, pointers, parameters.map { $0.count ?? 0 },
          parameters.map { $0.count == nil ? 0 : 1 }, 1) == 1
      }
    }

    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Value? {
      guard PQgetisnull(result, row, column) == 0 else { return nil }
      let count = Int(PQgetlength(result, row, column))
      return Value(
        bytes: Array(UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count)))
    }

    /// The channels of the notifications that have come; nil where the connection is lost.
    fileprivate func notifications() -> Set<String>? {
      guard connection != nil else { return nil }
      guard PQconsumeInput(connection) == 1 else {
        disconnect()
        return nil
      }
      var channels: Set<String> = []
      while let notification = PQnotifies(connection) {
        channels.insert(String(cString: notification.pointee.relname))
        PQfreemem(notification)
      }
      return channels
    }

    private func wait(for events: Int16) throws(LogError) {
      guard poll(events, until: end, orWake: false) else { throw failure("No answer in time.") }
    }

    @discardableResult
    fileprivate func poll(
      _ events: Int16, until end: ContinuousClock.Instant, orWake: Bool
    ) -> Bool {
      var files = [
        pollfd(fd: PQsocket(connection), events: events, revents: 0),
        pollfd(fd: session.wake.out, events: Int16(POLLIN), revents: 0),
      ]
      let left = max(.zero, end - ContinuousClock.now)
      let milliseconds = Int32(clamping: Int((left / .milliseconds(1)).rounded(.up)))
      let ready = Glibc.poll(&files, orWake ? 2 : 1, milliseconds)
      var byte = 0
      if orWake { while read(session.wake.out, &byte, 1) == 1 {} }
      return ready > 0
    }
  }
}

private func trimmed(_ text: String) -> String {
  text.trimmingCharacters(in: .whitespacesAndNewlines)
}

/// Two that create a table at once would get in each other's way, so one waits for the other, but
/// only where a table is missing.
private let setUp = [
  "SET idle_in_transaction_session_timeout = '10s'",
  """
  DO $$ BEGIN
    IF to_regclass('glue_logs') IS NULL OR to_regclass('glue_snapshots') IS NULL THEN
      PERFORM pg_advisory_xact_lock(78141);
      CREATE TABLE IF NOT EXISTS glue_logs (
        name text PRIMARY KEY, id uuid NOT NULL DEFAULT gen_random_uuid(),
        last bigint NOT NULL DEFAULT 0);
      CREATE TABLE IF NOT EXISTS glue_entries (
        name text, position bigint, entry bytea NOT NULL, PRIMARY KEY (name, position));
      CREATE TABLE IF NOT EXISTS glue_snapshots (
        name text PRIMARY KEY, position bigint NOT NULL, snapshot bytea NOT NULL);
    END IF;
  END $$
  """,
]
