import Foundation
import GRDB

/// The results of all runs, in a file of SQLite.
struct RunHistory: Sendable {
  private let database: DatabaseQueue

  /// Opens the file, and makes it if there is none.
  ///
  /// - Throws: the error of SQLite.
  init(file: String) throws {
    database = try DatabaseQueue(path: file)
    try database.write { database in
      try database.execute(
        sql: "CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, text TEXT NOT NULL)")
    }
  }

  /// Inserts a run, once: a run that the table has changes nothing.
  ///
  /// - Throws: the error of SQLite.
  func insert(_ run: Run) async throws {
    try await database.write { database in
      try database.execute(
        sql: "INSERT INTO run (id, text) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
        arguments: [run.id.uuidString, run.text])
    }
  }

  /// The texts that contain a word, in alphabetical order: a query that no store answers.
  ///
  /// - Throws: the error of SQLite.
  func texts(containing word: String) throws -> [String] {
    try database.read { database in
      try String.fetchAll(
        database, sql: "SELECT text FROM run WHERE instr(text, ?) ORDER BY text", arguments: [word])
    }
  }
}
