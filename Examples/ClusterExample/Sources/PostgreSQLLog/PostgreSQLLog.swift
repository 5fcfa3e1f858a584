import CPostgreSQL
public import GlueCluster

/// A database whose tables keep logs.
///
///     let database = try PostgreSQL("postgresql://user@host:5432/database")
///     let log = database.log("counter")
///
/// All logs of one value share three sessions: for appends, for reads, and for snapshots. A session
/// connects when it is used, and again after its connection was lost.
public final class PostgreSQL: Sendable {
  let appending: Session
  let reading: Session
  let keeping: Session

  /// Makes it, without connecting.
  ///
  /// - Parameter address: such as `postgresql://user@host:5432/database`. The user may create tables
  ///   there.
  /// - Throws: ``LogError/refused(_:)`` if it isn't an address.
  public init(_ address: String) throws(LogError) {
    var problem: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(address, &problem)
    defer {
      PQconninfoFree(options)
      PQfreemem(problem)
    }
    guard options != nil else {
      throw .refused("\"\(address)\": " + trimmed(problem.map { String(cString: $0) } ?? ""))
    }
    appending = Session(address)
    reading = Session(address, listens: true)
    keeping = Session(address)
  }

  /// A log, which is made when it is first used.
  ///
  /// - Parameter name: letters of ASCII, digits and `_`.
  /// - Returns: an engine for one ``SharedStore``.
  public func log(_ name: String) -> PostgreSQLLog {
    precondition(
      name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") },
      "\"\(name)\" cannot be the name of a log: letters, digits and _ can.")
    return PostgreSQLLog(database: self, name: name)
  }
}

/// A log that is a table of PostgreSQL.
///
/// - An append locks the row that has the last position until it is committed. So entries become
///   visible in order and without gaps. With a `bigserial`, an entry could show up after a reader
///   has passed its position.
/// - A sender's number is unique. An entry that is appended again, even by two sessions at once, is
///   there once, and each append gets its position.
/// - `LISTEN` comes before the first `SELECT`, and `NOTIFY` only wakes readers, which then read the
///   table.
/// - An acknowledged entry has been synced to the server's disk.
public struct PostgreSQLLog: Log {
  let database: PostgreSQL
  let name: String

  /// Appends an entry: counts, inserts and wakes in one statement.
  public func append(
    _ entry: [UInt8], within limit: Duration
  ) async throws(LogError) -> LogPosition {
    let id: [Connection.Value] =
      EntryID(of: entry).map { [.init($0.sender), .init($0.number)] } ?? [nil, nil]
    let rows: [[Connection.Value]]
    do throws(LogError) {
      rows = try await database.appending.run(for: name, until: .now + limit) {
        connection throws(LogError) in
        do { return try Self.add(entry, id, to: name, connection) } catch {
          throw .unknown("\(error)")
        }
      }
    } catch {
      if case .cut(let reason) = error { throw .refused(reason) }
      throw error
    }
    guard let position = rows.first?[0]?.integer else { throw .refused("The log was deleted.") }
    return position
  }

  private static func add(
    _ entry: [UInt8], _ id: [Connection.Value], to name: String, _ connection: Connection
  ) throws(LogError) -> [[Connection.Value]] {
    let new = try connection.query(
      """
      WITH next AS (UPDATE glue_logs SET last = last + 1 WHERE name = $1 RETURNING last)
      INSERT INTO glue_entries SELECT $1, last, $2, $3, $4::bigint FROM next
      RETURNING position, pg_notify('glue_\(name)', '')
      """, [.init(name), entry] + id)
    if !new.isEmpty { return new }
    return try connection.query(
      "SELECT position FROM glue_entries WHERE name = $1 AND sender = $2 AND number = $3::bigint",
      [.init(name)] + id)
  }

  /// Reads entries, and waits for a notification where there are none.
  public func read(
    from position: LogPosition, within limit: Duration
  ) async throws(LogError) -> LogPage {
    let (news, reader) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let timer = Task {
      try await Task.sleep(for: limit)
      reader.finish()
    }
    defer {
      timer.cancel()
      reader.finish()
    }
    // A commit after a query notifies after it, so the reader is added before.
    await database.reading.add(reader, of: name)
    var iterator = news.makeAsyncIterator()
    while true {
      let page = try await database.reading.run(for: name, until: .now + .seconds(5)) {
        connection throws(LogError) in try Self.page(of: name, from: position, connection)
      }
      if !page.entries.isEmpty { return page }
      if await iterator.next() == nil { return page }
    }
  }

  private static func page(
    of name: String, from position: LogPosition, _ connection: Connection
  ) throws(LogError) -> LogPage {
    let rows = try connection.query(
      """
      SELECT l.id::text, l.last, e.position, e.entry FROM glue_logs l LEFT JOIN LATERAL (
        SELECT position, entry FROM glue_entries WHERE name = l.name AND position >= $2::bigint
        ORDER BY position LIMIT 500) e ON true
      WHERE l.name = $1 ORDER BY e.position
      """, [.init(name), .init(position)])
    guard let id = rows.first?[0], let last = rows.first?[1] else {
      // The log was deleted: the next connection makes another one.
      connection.lose()
      throw .cut("The log was deleted.")
    }
    let entries = rows.compactMap { row in
      row[2].flatMap { at in row[3].map { LogEntry(position: at.integer, bytes: $0) } }
    }
    if let first = entries.first?.position, first > position { throw .trimmed(first: first) }
    return LogPage(
      log: String(decoding: id, as: UTF8.self), end: last.integer, entries: entries)
  }

  /// Reads the snapshot's row.
  public func snapshot() async throws(LogError) -> LogSnapshot? {
    let rows = try await database.keeping.run(for: name, until: .now + .seconds(30)) {
      connection throws(LogError) in
      try connection.query(
        "SELECT position, snapshot FROM glue_snapshots WHERE name = $1", [.init(name)])
    }
    guard let row = rows.first, let position = row[0], let bytes = row[1] else { return nil }
    return LogSnapshot(position: position.integer, bytes: bytes)
  }

  /// Replaces an older snapshot and deletes entries, in one statement.
  public func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition
  ) async throws(LogError) {
    _ = try await database.keeping.run(for: name, until: .now + .seconds(30)) {
      connection throws(LogError) in
      try connection.query(
        """
        WITH kept AS (
          INSERT INTO glue_snapshots VALUES ($1, $2::bigint, $3)
          ON CONFLICT (name) DO UPDATE SET position = excluded.position, snapshot = excluded.snapshot
          WHERE glue_snapshots.position < excluded.position RETURNING 1)
        DELETE FROM glue_entries
        WHERE name = $1 AND position < $4::bigint AND EXISTS (SELECT 1 FROM kept)
        """,
        [
          .init(name), .init(snapshot.position), snapshot.bytes, .init(position),
        ])
    }
  }
}
