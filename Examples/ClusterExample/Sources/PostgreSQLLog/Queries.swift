import CPostgreSQL
import Foundation
import Glibc
import GlueCluster
import Synchronization

extension Session {
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
    let session: Session
    let end: ContinuousClock.Instant

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

    /// Asks, and waits for the answer; no rows where a unique index refuses the statement.
    func query(_ sql: String, _ parameters: [Parameter?]) throws(LogError) -> [[Value?]] {
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
        let isRefused = PQresultErrorField(result, sqlState).map { String(cString: $0) } == "23505"
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || isRefused else {
          throw failure()
        }
        rows = (0..<PQntuples(result)).map { row in
          (0..<PQnfields(result)).map { column in Self.value(result, row, column) }
        }
      }
    }

    private func send(_ sql: String, _ parameters: [Parameter?]) -> Bool {
      let buffers = parameters.map { $0?.buffer ?? [] }
      return Array(buffers.joined()).withUnsafeBufferPointer { joined in
        var start = 0
        let pointers = buffers.map { buffer in
          defer { start += buffer.count }
          return buffer.isEmpty ? nil : joined.baseAddress.map { $0 + start }
        }
        return PQsendQueryParams(
          connection, sql, Int32(parameters.count), nil, pointers,
          parameters.map { $0?.count ?? 0 },
          parameters.map { $0?.count == nil ? 0 : 1 }, 1) == 1
      }
    }

    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Value? {
      guard PQgetisnull(result, row, column) == 0 else { return nil }
      let count = Int(PQgetlength(result, row, column))
      return Value(
        bytes: Array(UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count)))
    }

    /// The channels of the notifications that have come; nil where the connection is lost.
    func notifications() -> Set<String>? {
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
    func poll(
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

/// Where `PQresultErrorField` has an error's code: `PG_DIAG_SQLSTATE`.
private let sqlState = Int32(UInt8(ascii: "C"))

/// Two that create a table at once would get in each other's way, so one waits for the other, but
/// only where something is missing.
private let setUp = [
  "SET idle_in_transaction_session_timeout = '10s'",
  """
  DO $$ BEGIN
    IF to_regclass('glue_logs') IS NULL OR to_regclass('glue_snapshots') IS NULL
      OR to_regclass('glue_entries_once') IS NULL THEN
      PERFORM pg_advisory_xact_lock(78141);
      CREATE TABLE IF NOT EXISTS glue_logs (
        name text PRIMARY KEY, id uuid NOT NULL DEFAULT gen_random_uuid(),
        last bigint NOT NULL DEFAULT 0);
      CREATE TABLE IF NOT EXISTS glue_entries (
        name text, position bigint, entry bytea NOT NULL, PRIMARY KEY (name, position));
      CREATE TABLE IF NOT EXISTS glue_snapshots (
        name text PRIMARY KEY, position bigint NOT NULL, snapshot bytea NOT NULL);
      ALTER TABLE glue_entries
        ADD COLUMN IF NOT EXISTS sender text, ADD COLUMN IF NOT EXISTS number bigint;
      CREATE UNIQUE INDEX IF NOT EXISTS glue_entries_once ON glue_entries (name, sender, number);
    END IF;
  END $$
  """,
]
