import Foundation
import GlueCluster
import LocalServers
import Logging
import NATSLog
import PostgreSQLLog

@main
struct Program {
  static func main() async {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    do {
      try await run(Arguments(Array(CommandLine.arguments.dropFirst())))
    } catch {
      FileHandle.standardError.write(Data("ClusterExample: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: Arguments) async throws {
    switch arguments.command {
    case "counter":
      try await counter(
        on: arguments.log(), replica: arguments.replica, health: arguments.healthPort)
    case "make": try await make(arguments.log())
    case "demo": try await demo()
    case "figures": try await figures()
    case "ledger": try await writeLedger(on: arguments.log(), label: arguments.value(of: "--label"))
    case "help", "--help", "-h": say(help)
    default: throw Mistake("There is no command \"\(arguments.command)\".\n\n\(help)")
    }
  }
}

/// Several servers of NATS need somebody to make a log, once.
private func make(_ log: any Log) async throws {
  if let log = log as? NATSLog { try await log.make() }
}

/// Prints at once, into a pipe as well.
func say(_ text: String, end: String = "\n") {
  FileHandle.standardOutput.write(Data((text + end).utf8))
}

struct Mistake: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

let help = """
  One store on several machines, through a log that an engine keeps.

    ClusterExample counter ENGINE [--name NAME] [--label LABEL] [--health PORT]
        a counter: + and - change it in every terminal that names the same engine;
        GET /health at the port answers 200 while the log is followed, else 503
    ClusterExample make ENGINE [--name NAME]
        makes the log, where ENGINE is several servers: once, before others use it
    ClusterExample demo
        starts three NATS servers and three replicas here, kills a server, and counts
    ClusterExample figures
        starts the engines here, and measures them and the replicas
    ClusterExample ledger ENGINE --label LABEL [--name NAME]
        writes numbered lines until it is ended; the tests kill it

  ENGINE is one of
    --servers nats://127.0.0.1:4222,…                NATS servers with JetStream
    --postgresql postgresql://user@host/database     a PostgreSQL server
  """

/// What the command line says.
struct Arguments {
  let command: String
  private let options: [String: String]

  init(_ words: [String]) throws {
    command = words.first ?? "help"
    var options: [String: String] = [:]
    var rest = words.dropFirst()
    while let option = rest.popFirst() {
      guard ["--servers", "--postgresql", "--name", "--label", "--health"].contains(option) else {
        throw Mistake("\"\(option)\" is no option.\n\n\(help)")
      }
      guard let value = rest.popFirst() else { throw Mistake("\(option) needs a value.") }
      options[option] = value
    }
    self.options = options
  }

  func value(of option: String) throws -> String {
    guard let value = options[option] else { throw Mistake("\(command) needs \(option).") }
    return value
  }

  /// Each terminal is a replica of its own.
  var replica: String {
    options["--label"] ?? "\(ProcessInfo.processInfo.hostName)-\(getpid())"
  }

  var healthPort: UInt16? {
    get throws {
      guard let text = options["--health"] else { return nil }
      guard let port = UInt16(text) else { throw Mistake("\(text) is no port for --health.") }
      return port
    }
  }

  func log() throws -> any Log {
    let name = options["--name"] ?? (command == "make" ? "counter" : command)
    if let address = options["--postgresql"] { return try PostgreSQL(address).log(name) }
    let servers = try value(of: "--servers").split(separator: ",").map(String.init)
    return try NATS(servers).log(name, copies: min(servers.count, 3))
  }
}
