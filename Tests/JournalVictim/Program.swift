import Foundation
package import Glue
package import GlueJournal

/// The state of a program to be killed: the commits that led to it, and a lot of text.
package struct Tale: Codable, Equatable, Sendable {
  package var count = 0
  package var chain: UInt64 = 1
  package var text = ""

  package init() {}
}

package enum TaleIntent: Intent, Codable {
  case tell(String)
}

package func tale(state: inout Tale, intent: TaleIntent) -> [any Effect] {
  guard case .tell(let text) = intent else { return [] }
  state.count += 1
  state.chain = (state.chain ^ UInt64(state.count)) &* 0x100_0000_01b3
  state.text = text
  return []
}

package let taleFormat = JournalFormat(of: Tale.self, intents: [.named("tale", TaleIntent.self)])

/// Continues with a journal until it is killed, and prints how many commits it got:
/// `JournalVictim DIRECTORY MODE SIZE`, with texts of a size in bytes.
///
/// With more arguments, `DELIVERY LINE YIELDS`, it runs errands, until it kills itself.
@main
enum Program {
  static func main() throws {
    let arguments = CommandLine.arguments
    let text = String(repeating: "x", count: Int(arguments[3]) ?? 0)
    if arguments.count > 4 {
      endlessly {
        try await runErrands(
          open(errandsFormat), delivery: arguments[4], text: text,
          End(after: arguments[5], yields: Int(arguments[6]) ?? 0))
      }
    }
    let store = try Store(state: Tale(), reducer: tale, journal: open(taleFormat))
    let subscription = store.subscribe(selector: \.count) { say("\($0)") }
    while true { store.dispatch(TaleIntent.tell(text)) }
    withExtendedLifetime(subscription) {}
  }

  private static func open<State>(_ format: JournalFormat<State>) throws -> Journal<State> {
    let arguments = CommandLine.arguments
    return try Journal(
      at: arguments[1], format, durability: arguments[2] == "synced" ? .synced : .written)
  }

  /// Runs a task, and the main queue.
  private static func endlessly(_ body: @escaping @Sendable () async throws -> Void) -> Never {
    Task.detached {
      do { try await body() } catch { fatalError("\(error)") }
    }
    dispatchMain()
  }
}

func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
