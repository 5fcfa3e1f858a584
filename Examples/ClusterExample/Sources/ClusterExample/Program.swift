import ArgumentParser
import Foundation
import GlueCluster
import GlueNATS
import GluePostgreSQL

@main
struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ClusterExample",
    abstract: "One store on several machines, through a log that an engine keeps.",
    subcommands: [CounterCommand.self, Make.self, Demo.self, Figures.self])
}

struct Engine: ParsableArguments {
  @Option(help: "NATS servers with JetStream: nats://127.0.0.1:4222,…")
  var servers: String?

  @Option(help: "A PostgreSQL server: postgresql://user@host/database")
  var postgresql: String?

  @Option(help: "The log's name.")
  var name = "counter"

  func log() throws -> any Log {
    if let postgresql { return try PostgreSQL(postgresql).log(name) }
    guard let servers = servers?.split(separator: ",").map(String.init) else {
      throw ValidationError("Name an engine, by --servers or --postgresql.")
    }
    return try NATS(servers).log(name, copies: min(servers.count, 3))
  }
}

struct Make: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes the log on several NATS servers: once, before others use it.")

  @OptionGroup var engine: Engine

  func run() async throws { try await (engine.log() as? NATSLog)?.make() }
}

/// Prints at once, into a pipe as well.
func say(_ text: String, end: String = "\n") {
  FileHandle.standardOutput.write(Data((text + end).utf8))
}
