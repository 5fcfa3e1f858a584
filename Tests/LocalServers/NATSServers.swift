import Foundation
import FoundationNetworking

/// NATS servers on the loopback, which keep streams together by Raft.
package final class NATSServers: Sendable {
  /// The servers, to be killed and frozen one by one.
  package let servers: [Server]

  /// Where clients reach them.
  package let urls: [String]

  /// Where each reports its health.
  private let health: [URL]
  private let keeper: Keeper

  /// Starts them.
  ///
  /// They are ready a little later, and senders retry meanwhile.
  ///
  /// - Parameters:
  ///   - count: 3 survive the loss of one.
  ///   - password: what the client `glue` needs; nil: none.
  /// - Throws: ``ServerError`` where there is no `nats-server`.
  package init(_ count: Int = 3, password: String? = nil) throws {
    let program = try Server.path(of: "nats-server", from: "nats-server libnats-dev")
    let ports = Server.freePorts(count * 3)
    let addresses = ports.map { "nats://127.0.0.1:\($0)" }
    let keeper = try Keeper()
    self.keeper = keeper
    urls = Array(addresses[..<count])
    let routes = Array(addresses[count..<count * 2])
    health = ports[(count * 2)...].map { URL(string: "http://127.0.0.1:\($0)/healthz")! }
    servers = try (0..<count).map { number in
      let home = "\(keeper.folder)/\(number)"
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
        jetstream { store_dir: "\(home)", max_mem: 256MB, max_file: 4GB }
        \(count > 1 ? cluster : "")
        """
      try configuration.write(toFile: home + ".conf", atomically: true, encoding: .utf8)
      let login = password.map { ["--user", "glue", "--pass", $0] } ?? []
      return Server(
        [program, "-c", home + ".conf"] + login, log: home + ".log", keeper: keeper)
    }
    for server in servers { try server.start() }
  }

  deinit { end() }

  /// Waits until each server reports that it is up to date.
  package func settle(within limit: Duration = .seconds(60)) async throws {
    let end = ContinuousClock.now + limit
    for url in health {
      while true {
        let answer = (try? await URLSession.shared.data(from: url))?.0 ?? Data()
        let text = String(decoding: answer, as: UTF8.self)
        if text.contains(#""ok""#) { break }
        if ContinuousClock.now > end { throw ServerError("\(url): \(text)") }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Kills them, and deletes their data.
  package func end() {
    for server in servers { server.kill() }
    keeper.end()
  }
}
