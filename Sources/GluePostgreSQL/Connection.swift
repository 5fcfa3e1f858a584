#if PostgreSQL
  import CGluePostgreSQL
  import Foundation
  import GlueCluster

  /// A connection of libpq, which a failure loses for good.
  ///
  /// Every wait ends by ``end``. Only the look-up of a host's name, which the system does, may last
  /// longer.
  final class Connection {
    private(set) var isLost = false

    /// The logs that are known to be there.
    var logs: Set<String> = []

    /// When the call that uses it ends.
    var end: ContinuousClock.Instant

    /// Identifies the server's data since its last start.
    var server = ""

    private let connection: OpaquePointer?
    private var source: (any DispatchSourceRead)?
    private let warning = Warning()

    /// The last warning that the server sent.
    private final class Warning { var text: String? }

    init(to address: String, until end: ContinuousClock.Instant) throws(LogError) {
      self.end = end
      // Options in the address come later, and win.
      let options = [
        ("target_session_attrs", "read-write"), ("tcp_user_timeout", "10000"),
        ("keepalives_idle", "5"), ("dbname", address),
      ]
      var keys = options.map { UnsafePointer(strdup($0.0)) } + [nil]
      var values = options.map { UnsafePointer(strdup($0.1)) } + [nil]
      defer { for word in keys + values { free(UnsafeMutablePointer(mutating: word)) } }
      connection = PQconnectStartParams(&keys, &values, 1)
      var state = PGRES_POLLING_WRITING
      while PQstatus(connection) != CONNECTION_BAD, state != PGRES_POLLING_OK {
        try wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
        state = PQconnectPoll(connection)
      }
      guard PQstatus(connection) == CONNECTION_OK else { throw failure() }
      PQsetnonblocking(connection, 1)
      // The server's notices would go to the standard error.
      PQsetNoticeReceiver(
        connection,
        { warning, result in
          guard let severity = PQresultErrorField(result, severityField),
            String(cString: severity) == "WARNING", let warning
          else { return }
          Unmanaged<Warning>.fromOpaque(warning).takeUnretainedValue().text = trimmed(
            String(cString: PQresultErrorMessage(result)))
        }, Unmanaged.passUnretained(warning).toOpaque())
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

    /// The result of a statement.
    struct Answer {
      var rows: [[Value]] = []

      /// The server's warning, such as that a commit didn't wait for its replication.
      var warning: String?
    }

    /// Asks, and waits for the answer; no rows where a unique index refuses the statement.
    ///
    /// If the time has passed, the rows that have come are the answer, and the connection is lost. A
    /// statement that has not ended is canceled on the server if it only reads. The others end by
    /// `lock_timeout`: canceling one that waits for its replication would commit it.
    ///
    /// - Throws: ``/GlueCluster/LogError/cut(_:)``. If the connection isn't lost then, the server has undone the
    ///   statement.
    func query(
      _ sql: String, _ parameters: [Value] = [], reads: Bool = false
    ) throws(LogError) -> Answer {
      warning.text = nil
      guard send(sql, parameters) else { throw failure() }
      PQsetSingleRowMode(connection)
      var answer = Answer()
      do {
        while PQflush(connection) == 1 { try wait(for: POLLIN | POLLOUT) }
        while let result = try next() {
          defer { PQclear(result) }
          answer.rows += (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in Self.value(result, row, column) }
          }
        }
      } catch {
        if isLost, reads { cancel() }
        guard isLost, reads, !answer.rows.isEmpty else { throw error }
      }
      answer.warning = warning.text
      return answer
    }

    /// The next result; nil after the last.
    private func next() throws(LogError) -> OpaquePointer? {
      while PQisBusy(connection) == 1 {
        try wait(for: POLLIN)
        guard PQconsumeInput(connection) == 1 else { throw failure() }
      }
      guard let result = PQgetResult(connection) else { return nil }
      let isSound = [PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_COMMAND_OK]
        .contains(PQresultStatus(result))
      let code = PQresultErrorField(result, codeField).map { String(cString: $0) }
      if isSound || code == "23505" { return result }
      PQclear(result)
      guard PQstatus(connection) == CONNECTION_OK, code != nil else { throw failure() }
      let reason = trimmed(String(cString: PQerrorMessage(connection)))
      while let rest = try next() { PQclear(rest) }
      throw .cut("PostgreSQL: " + reason)
    }

    /// Asks the server to end the statement, on a queue because a frozen server lets that wait.
    private func cancel() {
      nonisolated(unsafe) let cancel = PQgetCancel(connection)
      canceling.async {
        var problem = [CChar](repeating: 0, count: 256)
        PQcancel(cancel, &problem, Int32(problem.count))
        PQfreeCancel(cancel)
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

  private let canceling = DispatchQueue(label: "PostgreSQLLog.canceling")

  /// Where `PQresultErrorField` has an error's code and severity: `PG_DIAG_SQLSTATE`,
  /// `PG_DIAG_SEVERITY_NONLOCALIZED`.
  private let (codeField, severityField) = (Int32(UInt8(ascii: "C")), Int32(UInt8(ascii: "V")))

  extension [UInt8] {
    /// The bytes of a `text`.
    init(_ text: String) { self.init(text.utf8) }

    /// The bytes of a `bigint`.
    init(_ integer: Int) {
      self = (0..<8).map { UInt8(truncatingIfNeeded: integer >> (56 - $0 * 8)) }
    }

    /// A `bigint`.
    var integer: Int { reduce(0) { $0 << 8 | Int($1) } }

    /// A `text`.
    var text: String { String(decoding: self, as: UTF8.self) }
  }

  func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
#endif
