import Foundation

/// A PostgreSQL server on the loopback, with a database of its own.
package final class PostgreSQLServer: Sendable {
  /// Where clients reach it.
  package let address: String

  /// The process, to be killed and frozen.
  package let server: Server

  private let keeper: Keeper

  /// Makes a database and starts its server, which is ready a little later.
  ///
  /// - Parameter password: what clients need; nil: none.
  /// - Throws: ``ServerError`` where there is no PostgreSQL.
  package init(password: String? = nil) throws {
    let versions = "/usr/lib/postgresql"
    let folders = ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? [])
      .map { "\(versions)/\($0)/bin" }
    func path(of program: String) throws -> String {
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
      prefix = [try path(of: "setpriv"), "--reuid=postgres", "--regid=postgres", "--clear-groups"]
      try Self.run([try path(of: "chown"), "-R", "postgres:postgres", folder])
    }
    let data = ["-D", folder + "/data"]
    try Self.run(
      prefix + [try path(of: "initdb")] + data + ["-U", "glue", "-N", "-E", "UTF8"] + login)
    server = Server(
      prefix + [try path(of: "postgres")] + data + ["-p", "\(port)", "-h", "127.0.0.1", "-k", ""],
      log: folder + "/log", keeper: keeper)
    try server.start()
  }

  deinit { end() }

  /// Kills it, and deletes its data.
  package func end() {
    server.kill(by: SIGQUIT)
    keeper.end()
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
