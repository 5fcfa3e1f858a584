import Foundation

/// A PostgreSQL server on the loopback, with a database of its own.
package final class PostgreSQLServer: Sendable {
  /// Where clients reach it.
  package let address: String

  /// The process, to be killed and frozen.
  package let server: Server

  private let keeper: Keeper
  private let folders: [String]

  /// Makes a database and starts its server, which is ready a little later.
  ///
  /// - Parameter password: what clients need; nil: none.
  /// - Throws: ``ServerError`` where there is no PostgreSQL.
  package init(password: String? = nil) throws {
    let versions = "/usr/lib/postgresql"
    folders = ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? [])
      .map { "\(versions)/\($0)/bin" }
    let path = { [folders] program in
      try Server.path(of: program, in: folders, from: "postgresql libpq-dev util-linux")
    }
    keeper = try Keeper()
    let (folder, port) = (keeper.folder, Server.freePorts(1)[0])
    let user = "glue" + (password.map { ":\($0)" } ?? "")
    address = "postgresql://\(user)@127.0.0.1:\(port)/postgres?connect_timeout=2"

    var login = ["-A", "trust"]
    if let password {
      try password.write(toFile: folder + "/password", atomically: true, encoding: .utf8)
      login = ["-A", "scram-sha-256", "--pwfile", folder + "/password"]
    }
    // PostgreSQL refuses to run as root.
    var prefix: [String] = []
    if getuid() == 0 {
      prefix = [try path("setpriv"), "--reuid=postgres", "--regid=postgres", "--clear-groups"]
      try Self.run([try path("chown"), "-R", "postgres:postgres", folder])
    }
    let data = ["-D", folder + "/data"]
    try Self.run(
      prefix + [try path("initdb")] + data + ["-U", "glue", "-N", "-E", "UTF8"] + login)
    server = Server(
      prefix + [try path("postgres")] + data + ["-p", "\(port)", "-h", "127.0.0.1", "-k", ""],
      log: folder + "/log", keeper: keeper)
    try server.start()
  }

  deinit { end() }

  /// Kills it, and deletes its data.
  package func end() {
    server.kill(by: SIGQUIT)
    keeper.end()
  }

  /// Writes a backup of the database into a file of the server's folder.
  ///
  /// - Returns: the path of the file.
  package func backUp() throws -> String {
    let program = try Server.path(of: "pg_dump", in: folders, from: "postgresql")
    let file = keeper.folder + "/backup.sql"
    try Self.run([program, "--clean", "--if-exists", "--file", file, address])
    return file
  }

  /// Replaces the database's tables with those of a backup, while the server runs.
  package func restore(_ file: String) throws {
    let program = try Server.path(of: "psql", in: folders, from: "postgresql")
    try Self.run(
      [
        program, "--quiet", "--set", "ON_ERROR_STOP=1", "--single-transaction", "--file", file,
        address,
      ])
  }

  private static func run(_ command: [String]) throws {
    let process = Process(command)
    process.standardError = FileHandle.standardError
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ServerError("\(command.joined(separator: " ")) failed.")
    }
  }
}
