import Foundation

/// A server of PostgreSQL on the loopback, with a database of its own.
public final class PostgreSQLServer: Sendable {
  /// Where clients reach it.
  public let address: String

  /// The process, to be killed and frozen.
  public let server: Server

  private let folder: URL
  private let keeper: Keeper

  /// Makes a database and starts its server, which is ready a little later.
  ///
  /// - Parameter password: what clients need; nil: none.
  /// - Throws: ``NotInstalled`` where there is no PostgreSQL.
  public init(password: String? = nil) throws {
    let versions =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let folders = versions.map { "/usr/lib/postgresql/\($0)/bin" }
    guard let initdb = Server.path(of: "initdb", in: folders),
      let postgres = Server.path(of: "postgres", in: folders)
    else {
      throw NotInstalled(
        description: "There is no PostgreSQL. Install it: apt-get install postgresql libpq-dev")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "glue-postgresql-\(UInt32.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    keeper = try Keeper(of: folder)
    let data = folder.appendingPathComponent("data").path
    let port = Server.freePorts(1)[0]
    let user = "glue" + (password.map { ":\($0)" } ?? "")
    address = "postgresql://\(user)@127.0.0.1:\(port)/postgres?connect_timeout=2"

    // It refuses to be run by root.
    var prefix: [String] = []
    if getuid() == 0 {
      prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    }
    var login = ["-A", "trust"]
    if let password {
      let file = folder.appendingPathComponent("password").path
      try password.write(toFile: file, atomically: true, encoding: .utf8)
      login = ["-A", "scram-sha-256", "--pwfile", file]
    }
    if getuid() == 0 { try Self.run(["chown", "-R", "postgres:postgres", folder.path]) }
    try Self.run(prefix + [initdb, "-D", data, "-U", "glue", "-N", "-E", "UTF8"] + login)
    let arguments =
      prefix.dropFirst() + [postgres, "-D", data, "-p", "\(port)", "-h", "127.0.0.1", "-k", ""]
    server = Server(
      try Self.found(prefix.first ?? postgres),
      prefix.isEmpty ? Array(arguments.dropFirst()) : Array(arguments),
      log: folder.appendingPathComponent("log").path, keeper: keeper)
    try server.start()
  }

  deinit { end() }

  /// Kills it, and deletes all that it kept.
  public func end() {
    server.kill(by: SIGQUIT)
    keeper.end()
  }

  private static func found(_ program: String) throws -> String {
    if program.contains("/") { return program }
    guard let path = Server.path(of: program) else {
      throw NotInstalled(description: "There is no \(program).")
    }
    return path
  }

  private static func run(_ words: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try found(words[0]))
    process.arguments = Array(words.dropFirst())
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw NotInstalled(description: "\(words.joined(separator: " ")) failed.")
    }
  }
}
