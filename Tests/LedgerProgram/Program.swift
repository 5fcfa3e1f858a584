import Foundation
import Glue
import GlueCluster
import GlueNATS

/// Writes numbered lines, and says which were acknowledged; the tests kill it.
///
/// Its arguments are its label, the log's name, the seconds of the lease, and the addresses of NATS
/// servers.
@main
struct Program {
  static func main() async throws {
    #if NATS
      let (label, name) = (CommandLine.arguments[1], CommandLine.arguments[2])
      let lease = Duration.seconds(Int(CommandLine.arguments[3])!)
      let servers = Array(CommandLine.arguments[4...])
      let log = try NATS(servers).log(name, copies: min(servers.count, 3))
      let shared = sharedLedger(on: log, label, lease: lease)
      shared.own(Mail.self) { mail, _ in [LedgerIntent.mailed(mail.text)] }
      for number in 0... {
        do throws(SharedStoreError) {
          try await shared.send(LedgerIntent.write("\(label).\(number)"))
          say("ok \(label).\(number)")
        } catch {
          say("not \(label).\(number): \(error)")
        }
      }
    #endif
  }
}

/// Prints at once, into a pipe as well.
private func say(_ text: String) {
  FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
