import CPostgreSQL
import Foundation
import GlueCluster

/// A connection of libpq, which a failure loses for good.
final class Connection {
  private(set) var isLost = false

  /// The logs that are known to be there.
  var logs: Set<String> = []

  /// When the call that uses it ends.
  var end = ContinuousClock.now

  private let connection: OpaquePointer?
  private var source: (any DispatchSourceRead)?

  init(to address: String) throws(LogError) {
    // Options in the address come later, and win.
    let options = [
      ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "5"),
      ("dbname", address),
    ]
    var keys = options.map { UnsafePointer(strdup($0.0)) } + [nil]
    var values = options.map { UnsafePointer(strdup($0.1)) } + [nil]
    defer { for word in keys + values { free(UnsafeMutablePointer(mutating: word)) } }
    connection = PQconnectdbParams(&keys, &values, 1)
    guard PQstatus(connection) == CONNECTION_OK else { throw failure() }
    PQsetnonblocking(connection, 1)
    // The server's notices would go to the standard error.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit {
    if let source { source.cancel() } else { PQfinish(connection) }
  }

  /// Calls a handler whenever the server has sent something.
  func watch(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeReadSource(fileDescriptor: PQsocket(connection), queue: queue)
    source.setEventHandler(handler: handler)
    // A source's file may be closed only after the source has ended.
    source.setCancelHandler { [connection] in PQfinish(connection) }
    source.resume()
    self.source = source
  }

  /// The channels of the notifications that have come; nil if the connection is lost.
  func notifications() -> Set<String>? {
    if !isLost, PQconsumeInput(connection) != 1 { lose() }
    if isLost { return nil }
    var channels: Set<String> = []
    while let notification = PQnotifies(connection) {
      channels.insert(String(cString: notification.pointee.relname))
      PQfreemem(notification)
    }
    return channels
  }

  /// Makes the next call connect anew.
  func lose() {
    isLost = true
    source?.cancel()
  }

  private func failure(_ reason: String? = nil) -> LogError {
    defer { lose() }
    return .cut("PostgreSQL: " + trimmed(reason ?? String(cString: PQerrorMessage(connection))))
  }
}

extension Connection {
  /// In PostgreSQL's binary format; nil for NULL.
  typealias Value = [UInt8]?

  /// Asks, and waits for the answer; no rows where a unique index refuses the statement.
  func query(_ sql: String, _ parameters: [Value]) throws(LogError) -> [[Value]] {
    guard send(sql, parameters) else { throw failure() }
    while PQflush(connection) == 1 { try wait(for: POLLIN | POLLOUT) }
    var rows: [[Value]] = []
    while true {
      while PQisBusy(connection) == 1 {
        try wait(for: POLLIN)
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

  private func send(_ sql: String, _ parameters: [Value]) -> Bool {
    // A byte more, because an empty buffer would be null.
    let buffers = parameters.map { $0.map { $0.map(CChar.init(bitPattern:)) + [0] } ?? [] }
    return Array(buffers.joined()).withUnsafeBufferPointer { joined in
      var start = 0
      let pointers = buffers.map { buffer in
        defer { start += buffer.count }
        return buffer.isEmpty ? nil : joined.baseAddress.map { $0 + start }
      }
      return PQsendQueryParams(
        connection, sql, Int32(parameters.count), nil, pointers,
        parameters.map { Int32($0?.count ?? 0) }, parameters.map { _ in 1 }, 1) == 1
    }
  }

  private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Value {
    guard PQgetisnull(result, row, column) == 0 else { return nil }
    let count = Int(PQgetlength(result, row, column))
    return Array(UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count))
  }

  private func wait(for events: Int32) throws(LogError) {
    var file = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
    let left = max(.zero, end - .now) / .milliseconds(1)
    guard poll(&file, 1, Int32(clamping: Int(left.rounded(.up)))) > 0 else {
      throw failure("No answer in time.")
    }
  }
}

/// Where `PQresultErrorField` has an error's code: `PG_DIAG_SQLSTATE`.
private let sqlState = Int32(UInt8(ascii: "C"))

extension [UInt8] {
  /// The bytes of a `text`.
  init(_ text: String) { self.init(text.utf8) }

  /// The bytes of a `bigint`.
  init(_ integer: Int) {
    self = (0..<8).map { UInt8(truncatingIfNeeded: integer >> (56 - $0 * 8)) }
  }

  /// A `bigint`.
  var integer: Int { reduce(0) { $0 << 8 | Int($1) } }
}

func trimmed(_ text: String) -> String {
  text.trimmingCharacters(in: .whitespacesAndNewlines)
}
