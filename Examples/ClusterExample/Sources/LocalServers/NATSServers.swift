import Foundation
import FoundationNetworking

/// Servers of NATS on the loopback, which keep streams together by Raft.
public final class NATSServers: Sendable {
  /// The servers, to be killed and frozen one by one.
  public let servers: [Server]

  /// Where clients reach them.
  public let urls: [String]

  /// Where each tells how it is.
  private let health: [URL]
  private let folder: URL
  private let keeper: Keeper

  /// Starts them.
  ///
  /// They are ready a little later: what is sent meanwhile is tried again.
  ///
  /// - Parameters:
  ///   - count: 3 stand the loss of one.
  ///   - password: what the client `glue` needs; nil: none.
  /// - Throws: ``NotInstalled`` where there is no `nats-server`.
  public init(_ count: Int = 3, password: String? = nil) throws {
    guard let program = Server.path(of: "nats-server") else {
      throw NotInstalled(
        description: "There is no nats-server. Install it: apt-get install nats-server libnats-dev")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "glue-nats-\(UInt32.random(in: .min ... .max))")
    let ports = Server.freePorts(count * 3)
    let routes = ports[count..<count * 2].map { "nats://127.0.0.1:\($0)" }
    self.folder = folder
    let keeper = try Keeper(of: folder)
    self.keeper = keeper
    urls = ports[..<count].map { "nats://127.0.0.1:\($0)" }
    health = ports[(count * 2)...].map { URL(string: "http://127.0.0.1:\($0)/healthz")! }
    servers = try (0..<count).map { number in
      let home = folder.appendingPathComponent("\(number)")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      let cluster = """
        cluster {
          name: glue, listen: "127.0.0.1:\(ports[count + number])", no_advertise: true
          routes: \(routes)
        }
        """
      let configuration = """
        server_name: glue-\(number)
        listen: "127.0.0.1:\(ports[number])"
        http: "127.0.0.1:\(ports[count * 2 + number])"
        jetstream { store_dir: "\(home.path)", max_mem: 256MB, max_file: 4GB }
        \(count > 1 ? cluster : "")
        \(Self.login(password))
        """
      let file = home.appendingPathComponent("server.conf")
      try configuration.write(to: file, atomically: true, encoding: .utf8)
      return Server(
        program, ["-c", file.path], log: home.appendingPathComponent("log").path,
        keeper: keeper)
    }
    for server in servers { try server.start() }
  }

  private static func login(_ password: String?) -> String {
    password.map { "authorization { user: glue, password: \($0) }" } ?? ""
  }

  /// Starts a server anew that wants another password.
  public func change(password old: String, to new: String, at number: Int) throws {
    let file = folder.appendingPathComponent("\(number)/server.conf")
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacingOccurrences(of: Self.login(old), with: Self.login(new))
      .write(to: file, atomically: true, encoding: .utf8)
    servers[number].kill()
    try servers[number].start()
  }

  deinit { end() }

  /// Waits until all servers say that they have all that the others have.
  ///
  /// - Parameter limit: how long.
  /// - Throws: ``NotSettled`` where one does not say so.
  public func settle(within limit: Duration = .seconds(60)) async throws {
    let end = ContinuousClock.now + limit
    for url in health {
      while true {
        let answer = (try? await URLSession.shared.data(from: url))?.0 ?? Data()
        let text = String(decoding: answer, as: UTF8.self)
        if text.contains(#""ok""#) { break }
        if ContinuousClock.now > end { throw NotSettled(description: "\(url): \(text)") }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Kills them, and deletes all that they kept.
  public func end() {
    for server in servers { server.kill() }
    keeper.end()
  }
}

/// A server that does not come back, whoever uses it.
public struct NotSettled: Error, CustomStringConvertible {
  /// Which one, and what it says.
  public let description: String

  /// Makes it.
  public init(description: String) { self.description = description }
}
