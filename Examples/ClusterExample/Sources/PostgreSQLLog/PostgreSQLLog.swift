import Foundation
public import GlueCluster
import Synchronization

/// A log that is a table of PostgreSQL.
///
/// - The next position stands in a row, which an append locks until it is committed. So positions
///   become visible in their order and without gaps; a `bigserial` is drawn before, and an entry may
///   show up after a reader has gone past it.
/// - `LISTEN` comes before the first `SELECT`, and `NOTIFY` only wakes: what there is to read the
///   table says.
/// - What is acknowledged has been synced to the server's disk.
public final class PostgreSQLLog: Log {
  private let name: String
  private let appending: Session
  private let reading: Session
  private let keeping: Session

  /// Makes a log, which connects when it is used, and again whenever the connection was lost.
  ///
  /// - Parameters:
  ///   - address: such as `postgresql://user@host:5432/database`. The user may create tables there.
  ///   - name: tells logs in one database apart: letters, digits and `_`.
  public init(address: String, name: String) {
    precondition(
      name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") },
      "\"\(name)\" cannot be the name of a log: letters, digits and _ can.")
    self.name = name
    let setUp = [
      """
      CREATE TABLE IF NOT EXISTS glue_logs (
        name text PRIMARY KEY, id uuid NOT NULL DEFAULT gen_random_uuid(),
        last bigint NOT NULL DEFAULT 0)
      """,
      """
      CREATE TABLE IF NOT EXISTS glue_entries (
        name text, position bigint, entry bytea NOT NULL, PRIMARY KEY (name, position))
      """,
      """
      CREATE TABLE IF NOT EXISTS glue_snapshots (
        name text PRIMARY KEY, position bigint NOT NULL, snapshot bytea NOT NULL)
      """,
      "INSERT INTO glue_logs (name) VALUES ('\(name)') ON CONFLICT DO NOTHING",
    ]
    // Two that create a table at once would get in each other's way.
    let once = ["BEGIN", "SELECT pg_advisory_xact_lock(78141)"] + setUp + ["COMMIT"]
    appending = Session(address, setUp: once)
    reading = Session(address, setUp: once + ["LISTEN glue_\(name)"])
    keeping = Session(address, setUp: once)
  }

  /// Appends an entry: counts, inserts and wakes in one transaction.
  public func append(
    _ entry: [UInt8], within limit: Duration
  ) async throws(LogError) -> Position {
    let rows = try await appending.run(within: limit) { [name] session throws(LogError) in
      do { try session.connect() } catch { throw .refused("\(error)") }
      do {
        return try session.query(
          """
          WITH next AS (UPDATE glue_logs SET last = last + 1 WHERE name = $1 RETURNING last)
          INSERT INTO glue_entries SELECT $1, last, $2 FROM next
          RETURNING position, pg_notify('glue_\(name)', '')
          """, [.text(name), .bytes(entry)])
      } catch { throw .unknown("\(error)") }
    }
    guard let position = rows.first?[0]?.integer else { throw .refused("The log was deleted.") }
    return position
  }

  /// Reads entries, and waits for a notification where there are none.
  public func read(
    from position: Position, within limit: Duration
  ) async throws(LogError) -> Page {
    try await reading.run(within: limit + .seconds(3)) { [name] session throws(LogError) in
      let end = ContinuousClock.now + limit
      while true {
        try session.connect()
        let page = try Self.page(of: name, from: position, session)
        guard page.entries.isEmpty,
          try session.waitForNotification(within: end - ContinuousClock.now)
        else { return page }
      }
    }
  }

  private static func page(
    of name: String, from position: Position, _ session: borrowing Session.Use
  ) throws(LogError) -> Page {
    let rows = try session.query(
      """
      SELECT l.id::text, l.last, e.position, e.entry FROM glue_logs l LEFT JOIN LATERAL (
        SELECT position, entry FROM glue_entries WHERE name = l.name AND position >= $2::bigint
        ORDER BY position LIMIT 500) e ON true
      WHERE l.name = $1 ORDER BY e.position
      """, [.text(name), .text("\(position)")])
    guard let id = rows.first?[0], let last = rows.first?[1] else {
      // It was deleted: whoever connects anew makes another one.
      session.disconnect()
      throw .cut("The log was deleted.")
    }
    let entries = rows.compactMap { row in
      row[2].flatMap { at in row[3].map { LogEntry(position: at.integer, bytes: $0.bytes) } }
    }
    if let first = entries.first?.position, first > position { throw .trimmed(first: first) }
    return Page(
      log: String(decoding: id.bytes, as: UTF8.self), end: last.integer, entries: entries)
  }

  /// Reads the snapshot's row.
  public func snapshot() async throws(LogError) -> Snapshot? {
    let rows = try await keeping.run(within: .seconds(30)) { [name] session throws(LogError) in
      try session.connect()
      return try session.query(
        "SELECT position, snapshot FROM glue_snapshots WHERE name = $1", [.text(name)])
    }
    guard let row = rows.first, let position = row[0], let bytes = row[1] else { return nil }
    return Snapshot(position: position.integer, bytes: bytes.bytes)
  }

  /// Replaces an older snapshot and deletes entries, in one transaction.
  public func keep(
    _ snapshot: Snapshot, trimmingBelow position: Position
  ) async throws(LogError) {
    _ = try await keeping.run(within: .seconds(30)) { [name] session throws(LogError) in
      try session.connect()
      return try session.query(
        """
        WITH kept AS (
          INSERT INTO glue_snapshots VALUES ($1, $2::bigint, $3)
          ON CONFLICT (name) DO UPDATE SET position = excluded.position, snapshot = excluded.snapshot
          WHERE glue_snapshots.position < excluded.position RETURNING 1)
        DELETE FROM glue_entries
        WHERE name = $1 AND position < $4::bigint AND EXISTS (SELECT 1 FROM kept)
        """,
        [
          .text(name), .text("\(snapshot.position)"), .bytes(snapshot.bytes), .text("\(position)"),
        ])
    }
  }
}
