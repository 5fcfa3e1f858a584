import Foundation
import GlueCluster
import GlueNATS
import GluePostgreSQL

private let usage =
  "Usage: GlueLogTool SERVERS LOG [--copies NUMBER] [--entries | --remove REPLICA]"

private let help = """
  \(usage)

  Describes the LOG of that name: its entries, its snapshot, and what replicas agree on: the
  version, the owner of effects, and the senders. SERVERS is an address of PostgreSQL, or
  addresses of NATS with commas between them:

    postgresql://user@host/database
    nats://host:4222,nats://host:4222,nats://host:4222

  Replicas may use the log meanwhile. A log that isn't there is made, except by NATS with
  several copies.

    --entries          print each entry as a line of JSON, including private values
    --remove REPLICA   take a replica that will not come back out of the table, so that
                       upgrades don't wait for it
    --copies NUMBER    on how many servers of NATS the log is kept; by default on one for
                       each address, at most three

  Exit status:
    0    it was done
    1    the log has no replica of that label
    64   unknown arguments
    69   the log cannot be read, or not be appended to
  """

@main
enum Program {
  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 1, ["-h", "--help"].contains(arguments[0]) { return print(help) }
    var copies: Int?
    if let index = arguments.firstIndex(of: "--copies") {
      copies = arguments.dropFirst(index + 1).first.flatMap { Int($0) }
      if copies == nil { fail(usage, EX_USAGE) }
      arguments.removeSubrange(index...index + 1)
    }
    guard arguments.count >= 2, !arguments[0].hasPrefix("-"), !arguments[1].hasPrefix("-") else {
      fail(usage, EX_USAGE)
    }
    do {
      let log = try log(arguments[1], at: arguments[0], copies: copies)
      switch arguments.count {
      case 2: try await describe(log)
      case 3 where arguments[2] == "--entries":
        _ = try await LogContents(of: log) { print($0.json) }
      case 4 where arguments[2] == "--remove": try await remove(arguments[3], from: log)
      default: fail(usage, EX_USAGE)
      }
    } catch { fail("GlueLogTool: \(error)", EX_UNAVAILABLE) }
  }

  private static func describe(_ log: any Log) async throws {
    for line in try await LogContents(of: log).lines { print(line) }
  }

  private static func remove(_ replica: String, from log: any Log) async throws {
    guard try await LogContents.remove(replica: replica, from: log) else {
      fail("GlueLogTool: the log has no replica \(replica)", 1)
    }
  }

  private static func fail(_ message: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(status)
  }
}

/// The engine that the addresses name, if its trait is on.
private func log(_ name: String, at servers: String, copies: Int?) throws(LogError) -> any Log {
  if servers.hasPrefix("nats:") {
    #if NATS
      guard NATSLog.canBeNamed(name) else { throw .refused("NATS has no log \"\(name)\".") }
      let addresses = servers.split(separator: ",").map(String.init)
      return try NATS(addresses).log(name, copies: copies ?? min(addresses.count, 3))
    #else
      throw .refused(
        "the trait NATS is off: add traits: [\"NATS\"] where your package depends on Glue; in a clone of "
          + "Glue, swift run --traits NATS GlueLogTool …")
    #endif
  }
  #if PostgreSQL
    guard PostgreSQLLog.canBeNamed(name) else {
      throw .refused("PostgreSQL has no log \"\(name)\".")
    }
    return try PostgreSQL(servers).log(name)
  #else
    throw .refused(
      "the trait PostgreSQL is off: add traits: [\"PostgreSQL\"] where your package depends on Glue; in a clone of "
        + "Glue, swift run --traits PostgreSQL GlueLogTool …")
  #endif
}
