import ArgumentParser
import Dispatch
import Foundation
import Glue
import GlueInspector
import GlueJournal
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

@main
struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ServerExample", abstract: "Serves a list of tasks to browsers.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 8080
  @Option(name: .customLong("name"), help: "A further name that browsers reach it by; repeatable.")
  var names: [String] = []
  @Option(help: "The directory that the list is kept in; without it, it ends with the process.")
  var journal: String?
  @Flag(help: "Shows what happens at /inspector, on loopback alone.") var inspect = false
  @Option(help: "Seconds for which a task that is done stays.") var keepDone = 86_400.0
  @Option(help: "Connections at a time; further ones wait.") var connections = 2_000
  @Option(help: "Seconds in which a client must read what it is sent.") var writeWithin = 10.0
  @Option(help: "Seconds in which a client must send a whole request.") var receiveWithin = 30.0
  @Option(help: "Seconds in which all ends after SIGTERM.") var endWithin = 10.0
  @Flag(help: "Does not log commits.") var quiet = false

  func validate() throws {
    if inspect, !isLoopback(host) {
      throw ValidationError(
        "--inspect shows all that happens, so it needs a --host on loopback: 127.0.0.1 or ::1.")
    }
    for (name, value) in [
      ("keep-done", keepDone), ("write-within", writeWithin),
      ("receive-within", receiveWithin), ("end-within", endWithin),
      ("connections", Double(connections)),
    ] where !(1e-3...1e9).contains(value) {
      throw ValidationError("--\(name) is \(value); expected a number above 0.")
    }
    if !(0...65_535).contains(port) {
      throw ValidationError("--port is \(port); expected 0 to 65535.")
    }
  }

  func run() async throws {
    try allowFiles(connections + 100)
    var logger = Logger(label: "server")
    logger.logLevel = quiet ? .notice : .info
    let inspector = inspect ? Inspector<TaskList>() : nil
    let journal = try journal.map { try Journal(at: $0, taskFormat) }
    let monitors: [any Monitor<TaskList>] = [CommitLog(logger: logger)]
    let store = try Store(
      state: TaskList(), reducer: taskReducer(keepingDone: .seconds(keepDone)),
      monitors: monitors + (inspector.map { [$0] } ?? []),
      delivery: .queue(DispatchQueue(label: "store")), journal: journal)
    let parts = Parts(
      store: store, journal: journal, events: Newest(), inspector: inspector,
      names: Set(
        (["localhost", "127.0.0.1", "[::1]", host, "[\(host)]"] + names).map { $0.lowercased() }))
    try await serve(parts, logger)
  }

  /// Runs what there is until SIGTERM or SIGINT.
  ///
  /// Services are ended in reverse: first the streams of events, then the server, when its requests
  /// are over, then the store.
  private func serve(_ parts: Parts, _ logger: Logger) async throws {
    let open = Connections()
    let server = Application(
      router: makeRouter(parts),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            Connection(in: open, writeWithin: amount(of: writeWithin), logger: logger),
            ReceiveDeadline(within: amount(of: receiveWithin), logger: logger),
          ])),
      configuration: .init(
        address: .hostname(host, port: port), backlog: 1024,
        availableConnectionsDelegate: .maximum(connections, logger: logger)),
      onServerRunning: {
        logger.notice("ready", metadata: ["port": "\($0.localAddress?.port ?? 0)"])
      },
      logger: logger)
    let time = Duration.seconds(endWithin)
    let group = ServiceGroup(
      services: [
        StoreService(store: parts.store, limit: time / 4, logger: logger),
        ServerService(server: server, connections: open, limit: time * 3 / 4, logger: logger),
        EventService(store: parts.store, events: parts.events),
      ],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    do {
      try await group.run()
    } catch let error as IOError {
      throw CannotListen(address: "\(host):\(port)", error: error)
    }
  }
}

/// The server's address cannot be had.
private struct CannotListen: Error, CustomStringConvertible {
  let address: String
  let error: IOError

  var description: String {
    error.errnoCode == EADDRINUSE
      ? "Cannot listen on \(address), where another program listens. Choose another --port."
      : "Cannot listen on \(address): \(error)."
  }
}

private func amount(of seconds: Double) -> TimeAmount { .nanoseconds(Int64(seconds * 1e9)) }

private func isLoopback(_ host: String) -> Bool {
  ["localhost", "::1"].contains(host)
    || host.hasPrefix("127.") && host.allSatisfy { $0.isWholeNumber || $0 == "." }
}
