import ArgumentParser
import Foundation
import Glue
import GlueConsole
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@main
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ServerExample", abstract: "Serves a to-do list to browsers.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 chooses a free one.") var port: UInt16 = 8080
  @Option(name: .customLong("name"), help: "A further name that browsers reach it by; repeatable.")
  var names: [String] = []
  @Option(help: "The directory to keep the list in; without one, the list ends with the process.")
  var journal: String?
  @Flag(help: "Serves the inspector's page at /inspector, to this machine alone.")
  var inspect = false
  @Option(help: "Seconds after which a finished to-do goes.")
  var keepDone = Duration.seconds(86_400)
  @Option(help: "Seconds in which everything ends after SIGTERM.")
  var endWithin = Duration.seconds(10)
  @Flag(help: "Logs no commits.") var quiet = false
  @OptionGroup var limits: Limits

  func validate() throws {
    let isLoopback =
      ["localhost", "::1"].contains(host)
      || host.hasPrefix("127.") && host.allSatisfy { $0.isWholeNumber || $0 == "." }
    if inspect, !isLoopback {
      throw ValidationError(
        "--inspect shows all that happens, so it needs a --host on loopback: 127.0.0.1 or ::1.")
    }
  }

  func run() async throws {
    let console = Console()
    try limits.allowFiles()
    var logger = Logger(label: "server")
    logger.logLevel = quiet ? .notice : .info
    let dependencies = try Dependencies(
      journal: journal, keepingDone: keepDone, isInspected: inspect, logger: logger)
    let (listening, listens) = AsyncStream.makeStream(of: Int.self)
    let server = buildApplication(dependencies, logger) {
      listens.yield($0.localAddress?.port ?? 0)
    }
    // The console takes the signals, so this group has none.
    let group = ServiceGroup(services: [server], logger: logger)
    let failure = Mutex<(any Error)?>(nil)
    let serving = Task {
      defer {
        listens.finish()
        console.end()
      }
      do { try await group.run() } catch {
        failure.withLock { $0 = error }
        throw error
      }
    }
    do {
      guard let port = await listening.first(where: { _ in true }) else {
        return try await serving.value
      }
      logger.notice("ready", metadata: ["port": "\(port)"])
    } catch let error as IOError {
      let reason = String(cString: strerror(error.errnoCode))
      throw ValidationError("Cannot listen on \(host):\(port): \(reason). Choose another --port.")
    }
    // First the server ends, with its requests and event streams, then the store.
    let end = await console.run(
      dependencies.store, finishing: endWithin / 2, within: endWithin / 2,
      stopping: {
        await group.triggerGracefulShutdown()
        _ = await serving.result
      })
    for what in end.left { logger.warning("not ended", metadata: ["what": "\(what)"]) }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Builds the server, which does not run yet.
  func buildApplication(
    _ dependencies: Dependencies, _ logger: Logger,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void
  ) -> some ApplicationProtocol {
    let hosts = ["localhost", "127.0.0.1", "[::1]", host, "[\(host)]"] + names
    return Application(
      router: buildRouter(dependencies, hosts: Set(hosts.map { $0.lowercased() })),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            ClientDeadlines(limits, endWithin: endWithin / 4, logger: logger)
          ])),
      configuration: .init(
        address: .hostname(host, port: Int(port)), backlog: 1024,
        availableConnectionsDelegate: .maximum(Int(limits.connections), logger: logger)),
      onServerRunning: onServerRunning, logger: logger)
  }
}
