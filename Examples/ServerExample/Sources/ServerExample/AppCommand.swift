import ArgumentParser
import Glue
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

@main
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ServerExample", abstract: "Serves a to-do list to browsers.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 8080
  @Option(name: .customLong("name"), help: "A further name that browsers reach it by; repeatable.")
  var names: [String] = []
  @Option(help: "The directory that the list is kept in; without it, it ends with the process.")
  var journal: String?
  @Flag(help: "Shows what happens at /inspector, on loopback alone.") var inspect = false
  @Option(help: "Seconds for which a to-do that is done stays.") var keepDone = 86_400.0
  @Option(help: "Seconds in which everything ends after SIGTERM.") var endWithin = 10.0
  @Flag(help: "Does not log commits.") var quiet = false
  @OptionGroup var limits: Limits

  func validate() throws {
    try expectPositive(keepDone, "keep-done")
    try expectPositive(endWithin, "end-within")
    if !(0...65_535).contains(port) {
      throw ValidationError("--port is \(port); expected 0 to 65535.")
    }
    if inspect, !isLoopback(host) {
      throw ValidationError(
        "--inspect shows all that happens, so it needs a --host on loopback: 127.0.0.1 or ::1.")
    }
  }

  func run() async throws {
    try limits.allowFiles()
    var logger = Logger(label: "server")
    logger.logLevel = quiet ? .notice : .info
    let dependencies = try Dependencies(
      journal: journal, keepingDone: .seconds(keepDone), isInspected: inspect, logger: logger)
    let connections = Connections()
    let application = buildApplication(dependencies, connections, logger)
    let time = Duration.seconds(endWithin)
    // Services end in reverse: the server, with its requests and event streams, then the store.
    let group = ServiceGroup(
      services: [
        StoreService(store: dependencies.store, limit: time / 4, logger: logger),
        BoundedServer(
          server: application, connections: connections, limit: time * 3 / 4, logger: logger),
      ],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await naming("\(host):\(port)") { try await group.run() }
  }

  /// Builds the server, which does not run yet.
  func buildApplication(
    _ dependencies: Dependencies, _ connections: Connections, _ logger: Logger
  ) -> some ApplicationProtocol {
    let hosts = ["localhost", "127.0.0.1", "[::1]", host, "[\(host)]"] + names
    return Application(
      router: buildRouter(dependencies, hosts: Set(hosts.map { $0.lowercased() })),
      server: .http1(
        configuration: .init(additionalChannelHandlers: limits.handlers(connections, logger))),
      configuration: .init(
        address: .hostname(host, port: port), backlog: 1024,
        availableConnectionsDelegate: .maximum(limits.connections, logger: logger)),
      onServerRunning: {
        logger.notice("ready", metadata: ["port": "\($0.localAddress?.port ?? 0)"])
      },
      logger: logger)
  }
}
