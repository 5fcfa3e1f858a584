import CPostgreSQL
import Foundation
import Glibc
import GlueCluster
import Synchronization

/// A connection to PostgreSQL that is made when it is needed, and used by one call at a time, on a
/// queue of its own.
///
/// A server that does not answer in time loses the connection: what it had been asked may still be
/// done, and its answer would come to the next one.
final class Session: Sendable {
  private let address: String
  private let setUp: [String]
  private let queue = DispatchQueue(label: "PostgreSQLLog")
  private let connection = Mutex<UInt>(0)

  /// Its other end wakes whoever waits here, when a task was cancelled.
  private let wake: (out: Int32, into: Int32)

  init(_ address: String, setUp: [String]) {
    self.address = address
    self.setUp = setUp
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "The system has no pipe left.")
    wake = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    PQfinish(OpaquePointer(bitPattern: connection.withLock { $0 }))
    close(wake.out)
    close(wake.into)
  }

  /// Uses the connection on its queue, for as long as it may take.
  func run<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable (Use) throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    let use = Use(session: self, end: ContinuousClock.now + limit)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async {
          let result = Result { () throws(LogError) in try body(use) }
          continuation.resume(returning: result)
        }
      }
    } onCancel: {
      _ = write(wake.into, "x", 1)
    }
    return try result.get()
  }

  enum Parameter {
    case text(String)
    case bytes([UInt8])
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
      OpaquePointer(bitPattern: session.connection.withLock { $0 })
    }

    /// Connects, unless it is.
    func connect() throws(LogError) {
      if connection != nil { return }
      let new = PQconnectdb(session.address)
      session.connection.withLock { $0 = UInt(bitPattern: new) }
      guard PQstatus(new) == CONNECTION_OK else { throw failure() }
      PQsetnonblocking(new, 1)
      // What it notices on its way down would go to the standard error.
      PQsetNoticeProcessor(new, { _, _ in }, nil)
      for statement in session.setUp { _ = try query(statement, []) }
    }

    func disconnect() {
      PQfinish(connection)
      session.connection.withLock { $0 = 0 }
    }

    /// Drops the connection, and says what it said.
    private func failure(_ reason: String? = nil) -> LogError {
      let text = reason ?? String(cString: PQerrorMessage(connection))
      disconnect()
      return .cut("PostgreSQL: " + text.trimmingCharacters(in: .whitespacesAndNewlines))
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
      // Text ends with a zero, bytes have their length.
      let buffers = parameters.map { parameter in
        switch parameter {
        case .text(let text): Array(text.utf8CString)
        case .bytes(let bytes): bytes.isEmpty ? [0] : bytes.map { CChar(bitPattern: $0) }
        }
      }
      let isBinary = parameters.map { parameter -> Int32 in
        if case .bytes = parameter { 1 } else { 0 }
      }
      let lengths = parameters.map { parameter -> Int32 in
        if case .bytes(let bytes) = parameter { Int32(bytes.count) } else { 0 }
      }
      let joined = Array(buffers.joined())
      return joined.withUnsafeBufferPointer { joined in
        var start = 0
        let pointers = buffers.map { buffer in
          defer { start += buffer.count }
          return joined.baseAddress.map { $0 + start }
        }
        return PQsendQueryParams(
          connection, sql, Int32(parameters.count), nil, pointers, lengths, isBinary, 1) == 1
      }
    }

    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Value? {
      guard PQgetisnull(result, row, column) == 0 else { return nil }
      let count = Int(PQgetlength(result, row, column))
      return Value(
        bytes: Array(UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count)))
    }

    /// Waits until the server says that something was appended.
    ///
    /// - Returns: false if the time is over, or the task was cancelled.
    func waitForNotification(within limit: Duration) throws(LogError) -> Bool {
      let isReady = poll(Int16(POLLIN), until: .now + limit, orWake: true)
      guard PQconsumeInput(connection) == 1 else { throw failure() }
      while let notification = PQnotifies(connection) { PQfreemem(notification) }
      return isReady
    }

    private func wait(for events: Int16) throws(LogError) {
      guard poll(events, until: end, orWake: false) else { throw failure("No answer in time.") }
    }

    private func poll(
      _ events: Int16, until end: ContinuousClock.Instant, orWake: Bool
    ) -> Bool {
      var files = [
        pollfd(fd: PQsocket(connection), events: events, revents: 0),
        pollfd(fd: session.wake.out, events: Int16(POLLIN), revents: 0),
      ]
      let left = max(.zero, end - ContinuousClock.now)
      let milliseconds = Int32(clamping: Int((left / .milliseconds(1)).rounded(.up)))
      let ready = Glibc.poll(&files, orWake ? 2 : 1, milliseconds)
      if orWake, files[1].revents != 0 {
        var byte = 0
        while read(session.wake.out, &byte, 1) == 1 {}
        return false
      }
      return ready > 0
    }
  }
}
