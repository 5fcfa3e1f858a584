#if PostgreSQL
  import Foundation
  public import GlueCluster

  extension PostgreSQLLog {
    /// Reads the snapshot's slices, each within a limit of its own.
    ///
    /// Two newer snapshots, kept meanwhile, end this: then the next one is to be read.
    public func snapshot() async throws(LogError) -> LogSnapshot? {
      let found = try await keeping { connection throws(LogError) in
        try connection.query(
          "SELECT position, id, slices FROM glue_snapshots WHERE name = $1", [.init(name)],
          reads: true
        ).rows
      }
      guard let row = found.first, let position = row[0], let id = row[1], let count = row[2] else {
        return nil
      }
      var bytes: [UInt8] = []
      for number in 0..<count.integer {
        let slices = try await keeping { connection throws(LogError) in
          try connection.query(
            "SELECT bytes FROM glue_slices WHERE name = $1 AND snapshot = $2 AND number = $3::bigint",
            [.init(name), id, .init(number)], reads: true
          ).rows
        }
        guard let slice = slices.first?[0] else {
          throw .cut(
            "PostgreSQL: Newer snapshots replaced the one at \(position.integer) just now.")
        }
        bytes += slice
      }
      return LogSnapshot(position: position.integer, bytes: bytes)
    }

    /// Keeps a snapshot if the server has not been started anew, nor the table restored, since the session
    /// began.
    ///
    /// It is kept in slices, each within a limit of its own, so that a slow link takes a large one. One
    /// statement then replaces an older one and deletes entries. The slices of the one before stay,
    /// because a replica that begins may still read them.
    public func keep(
      _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
    ) async throws(LogError) {
      guard let log = try await logWithoutNewer(than: snapshot.position, in: session) else {
        return
      }
      let id = [UInt8](UUID().uuidString)
      let starts = Array(stride(from: 0, to: snapshot.bytes.count, by: slice))
      var isKept: Bool
      do throws(LogError) {
        isKept = try await addSlices(of: snapshot, id, from: starts)
      } catch {
        try? await removeSlices(of: id)
        throw error
      }
      if isKept {
        isKept = try await publish(
          snapshot.position, id, slices: starts.count, trimmingBelow: position, of: log, in: session
        )
      }
      if isKept { return }
      try? await removeSlices(of: id)
      // A newer one was kept meanwhile, or this is another log.
      if try await logWithoutNewer(than: snapshot.position, in: session) != nil { throw deleted }
    }

    /// Adds slices until a newer snapshot is kept; returns whether all were added.
    private func addSlices(
      of snapshot: LogSnapshot, _ id: [UInt8], from starts: [Int]
    ) async throws(LogError) -> Bool {
      for (number, start) in starts.enumerated() {
        let bytes = snapshot.bytes[start..<min(start + slice, snapshot.bytes.count)]
        let isAdded = try await keeping { connection throws(LogError) in
          try connection.query(
            """
            INSERT INTO glue_slices SELECT $1, $2::bigint, $3, $4::bigint, $5::bytea
            FROM glue_logs l WHERE l.name = $1 AND NOT EXISTS (
              SELECT 1 FROM glue_snapshots
              WHERE name = $1 AND position BETWEEN $2::bigint AND l.last)
            RETURNING 1
            """, [.init(name), .init(snapshot.position), id, .init(number), Array(bytes)]
          ).rows.count == 1
        }
        if !isAdded { return false }
      }
      return true
    }

    /// Makes a snapshot that of the log, if that is still the same and has all slices.
    private func publish(
      _ snapshot: LogPosition, _ id: [UInt8], slices: Int, trimmingBelow position: LogPosition,
      of log: [UInt8], in session: String?
    ) async throws(LogError) -> Bool {
      try await keeping { connection throws(LogError) in
        let table = try Self.table(of: session, connection)
        return try connection.query(
          """
          WITH log AS (
            SELECT last FROM glue_logs
            WHERE name = $1 AND ($6::text IS NULL OR $6 = \(tableID)) AND id::text = $7
            AND (SELECT count(*) FROM glue_slices WHERE name = $1 AND snapshot = $3) = $4::bigint
            FOR SHARE),
          kept AS (
            INSERT INTO glue_snapshots AS old SELECT $1, $2::bigint, $3, $4::bigint FROM log
            ON CONFLICT (name) DO UPDATE SET position = excluded.position, id = excluded.id,
              slices = excluded.slices, before = old.id
            WHERE old.position < excluded.position OR old.position > (SELECT last FROM log)
            RETURNING before),
          dropped AS (
            DELETE FROM glue_slices USING kept WHERE name = $1 AND position < $2
            AND snapshot IS DISTINCT FROM before),
          trimmed AS (
            DELETE FROM glue_entries
            WHERE name = $1 AND position < $5::bigint AND EXISTS (SELECT 1 FROM kept))
          SELECT 1 FROM kept
          """,
          [
            .init(name), .init(snapshot), id, .init(slices), .init(position),
            table.map { .init($0) }, log,
          ]
        ).rows.count == 1
      }
    }

    private func removeSlices(of id: [UInt8]) async throws(LogError) {
      try await keeping { connection throws(LogError) in
        _ = try connection.query(
          "DELETE FROM glue_slices WHERE name = $1 AND snapshot = $2", [.init(name), id])
      }
    }

    /// The log's identity; nil if a snapshot is kept that is as new, and not beyond the log's end.
    private func logWithoutNewer(
      than position: LogPosition, in session: String?
    ) async throws(LogError) -> [UInt8]? {
      let rows = try await keeping { connection throws(LogError) in
        let table = try Self.table(of: session, connection)
        return try connection.query(
          """
          SELECT l.id::text, s.name FROM glue_logs l
          LEFT JOIN glue_snapshots s ON s.name = l.name AND s.position BETWEEN $2::bigint AND l.last
          WHERE l.name = $1 AND ($3::text IS NULL OR $3 = \(tableID))
          """, [.init(name), .init(position), table.map { .init($0) }]
        ).rows
      }
      guard let row = rows.first, let log = row[0] else { throw deleted }
      return row[1] == nil ? log : nil
    }

    private func keeping<Value: Sendable>(
      _ body: @Sendable (Connection) throws(LogError) -> Value
    ) async throws(LogError) -> Value {
      try await database.keeping.run(for: name, until: .now + .seconds(30), body)
    }
  }

  private let deleted = LogError.refused("PostgreSQL: The log was deleted or restored.")

  /// The bytes of a slice, which a link of half a megabit a second takes in four seconds.
  private let slice = 1 << 18
#endif
