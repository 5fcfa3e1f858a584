#if PostgreSQL
  import CGluePostgreSQL
  public import Foundation
  public import GlueCluster
  import Synchronization

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
    /// - Parameters:
    ///   - address: such as `postgresql://user@host:5432/database`. The user may create tables there.
    ///     If it names several hosts, the one that takes writes is used.
    ///   - warn: is called with what an operator must know, on any thread. The default prints it to
    ///     the standard error.
    /// - Throws: ``/GlueCluster/LogError/refused(_:)`` if it isn't an address.
    public init(
      _ address: String,
      warn: @escaping @Sendable (String) -> Void = {
        FileHandle.standardError.write(Data("PostgreSQLLog: \($0)\n".utf8))
      }
    ) throws(LogError) {
      let options = PQconninfoParse(address, nil)
      defer { PQconninfoFree(options) }
      guard options != nil else {
        // The address, and libpq's message, may have a password.
        throw .refused(
          "This is no address of PostgreSQL, such as postgresql://user@host:5432/database.")
      }
      appending = Session(address, warn: warn)
      // One session warns for all.
      reading = Session(address, listens: true) { _ in }
      keeping = Session(address) { _ in }
    }

    /// A log, which is made when it is first used.
    ///
    /// - Parameter name: letters of ASCII, digits and `_`; at most 58, because PostgreSQL's names of
    ///   channels are shorter than 64 bytes.
    /// - Returns: an engine for one ``/GlueCluster/SharedStore``.
    public func log(_ name: String) -> PostgreSQLLog {
      guard PostgreSQLLog.canBeNamed(name) else {
        fatalError(
          """
          PostgreSQLLog: "\(name)" can't be the name of a log.
            Wrong: database.log("my log")
            Right: database.log("my_log"): 1 to 58 letters of ASCII, digits and _
          """)
      }
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
    let known = Known()

    /// The log and session of the last page, and the entry that was appended last, which a waiting read
    /// then needn't ask for.
    final class Known: Sendable {
      private let state = Mutex(
        (
          page: LogPage?.none, appended: LogEntry?.none,
          reader: AsyncStream<Void>.Continuation?.none
        ))

      /// Whether a page is the first of its session.
      func isNew(_ page: LogPage) -> Bool {
        state.withLock { state in
          defer {
            state.page = page
            state.page?.entries = []
          }
          return state.page?.session != page.session
        }
      }

      func add(_ entry: LogEntry, in session: String?) {
        state.withLock { state in
          guard let page = state.page, page.session == session else { return }
          state.appended = entry
          state.reader?.yield()
        }
      }

      func wait(_ reader: AsyncStream<Void>.Continuation) { state.withLock { $0.reader = reader } }

      func page(from position: LogPosition) -> LogPage? {
        state.withLock { state in
          guard var page = state.page, let entry = state.appended.take(), entry.position == position
          else { return nil }
          (page.end, page.entries) = (max(page.end, position), [entry])
          return page
        }
      }
    }

    package static func canBeNamed(_ name: String) -> Bool {
      (1...58).contains(name.count)
        && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// Appends an entry if the server has not been started anew, nor the table restored, since the session
    /// began.
    ///
    /// One statement counts, inserts and wakes.
    public func append(
      _ entry: [UInt8], in session: String?, within limit: Duration
    ) async throws(LogError) -> LogPosition {
      let id: [Connection.Value] =
        EntryID(of: entry).map { [.init($0.sender), .init($0.number)] } ?? [nil, nil]
      do throws(LogError) {
        let position = try await database.appending.run(for: name, until: .now + limit) {
          connection throws(LogError) in
          let table = try Self.table(of: session, connection)
          do throws(LogError) {
            return try Self.add(entry, id, to: name, table, connection)
          } catch .cut(let reason) {
            throw connection.isLost ? .unknown(reason) : .refused(reason)
          }
        }
        known.add(LogEntry(position: position, bytes: entry), in: session)
        return position
      } catch .cut(let reason) {
        throw .refused(reason)
      }
    }

    private static func add(
      _ entry: [UInt8], _ id: [Connection.Value], to name: String, _ table: String?,
      _ connection: Connection
    ) throws(LogError) -> LogPosition {
      let new = try connection.query(
        """
        WITH next AS (
          UPDATE glue_logs SET last = last + 1
          WHERE name = $1 AND ($5::text IS NULL OR $5 = \(tableID)) RETURNING last)
        INSERT INTO glue_entries SELECT $1, last, $2, $3, $4::bigint FROM next
        RETURNING position, pg_notify('glue_\(name)', '')
        """, [.init(name), entry] + id + [table.map { .init($0) }])
      // It was committed, but perhaps not where synchronous_commit wants it.
      if let warning = new.warning { throw .unknown("PostgreSQL: \(warning)") }
      if let position = new.rows.first?[0] { return position.integer }
      let old = try connection.query(
        "SELECT position FROM glue_entries WHERE name = $1 AND sender = $2 AND number = $3::bigint",
        [.init(name)] + id)
      if let position = old.rows.first?[0] { return position.integer }
      // The next connection makes a log that was deleted.
      connection.lose()
      throw .refused("PostgreSQL: The log was deleted or restored.")
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
      known.wait(reader)
      var iterator = news.makeAsyncIterator()
      while true {
        if let page = known.page(from: position) { return page }
        let page = try await database.reading.run(for: name, until: .now + .seconds(5)) {
          connection throws(LogError) in try Self.page(of: name, from: position, connection)
        }
        if known.isNew(page) || !page.entries.isEmpty { return page }
        if await iterator.next() == nil { return page }
      }
    }

    /// Reads entries of at most 1 MiB together, or one.
    private static func page(
      of name: String, from position: LogPosition, limit: Int = 500, _ connection: Connection
    ) throws(LogError) -> LogPage {
      let rows = try connection.query(
        """
        SELECT l.id::text, l.last, \(tableID), e.position, e.entry
        FROM glue_logs l LEFT JOIN LATERAL (
          SELECT position, entry, sum(octet_length(entry)) OVER (ORDER BY position) AS bytes
          FROM glue_entries WHERE name = l.name AND position >= $2::bigint
          ORDER BY position LIMIT \(limit)) e
        ON e.bytes <= 1048576 OR e.bytes = octet_length(e.entry)
        WHERE l.name = $1 ORDER BY e.position
        """, [.init(name), .init(position)], reads: true
      ).rows
      guard let row = rows.first, let id = row[0], let last = row[1], let table = row[2] else {
        // The log was deleted: the next connection makes another one.
        connection.lose()
        throw .cut("The log was deleted.")
      }
      let entries = rows.compactMap { row in
        row[3].flatMap { at in row[4].map { LogEntry(position: at.integer, bytes: $0) } }
      }
      if let first = entries.first?.position, first > position { throw .trimmed(first: first) }
      return LogPage(
        log: id.text, session: "\(connection.server)/\(table.text)", end: last.integer,
        entries: entries)
    }

    /// Reads one entry on a server that takes appends, as all sessions do.
    public func entry(
      at position: LogPosition, within limit: Duration
    ) async throws(LogError) -> LogEntry? {
      try await database.reading.run(for: name, until: .now + limit) {
        connection throws(LogError) in
        try Self.page(of: name, from: position, limit: 1, connection).entries.first
      }
    }

    /// The table that a session names; nil for any session.
    static func table(
      of session: String?, _ connection: Connection
    ) throws(LogError) -> String? {
      guard let parts = session?.split(separator: "/") else { return nil }
      guard parts.count == 2, parts[0] == connection.server else {
        throw .refused("PostgreSQL: another session has begun.")
      }
      return String(parts[1])
    }
  }

  /// SQL that identifies the table's file, which another one replaces when the table is restored.
  let tableID = "pg_relation_filenode('glue_entries')::text"
#endif
