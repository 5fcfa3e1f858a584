import Foundation
import Glue
import GlueConsole
import GlueJournal

@main
struct Program {
  static func main() async {
    let console = Console(endedBy: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case (nil, _), ("--journal", 2), ("-h", 1), ("--help", 1):
      do { try await run(arguments, on: console) } catch { console.fail("\(error)") }
      exit(EXIT_FAILURE)
    default:
      console.fail("unknown arguments \(quoted(arguments.joined(separator: " ")))\n\(usage)")
      exit(EX_USAGE)
    }
  }

  /// Counts from 0, or from the end of a directory's journal; or shows the help.
  static func run(_ arguments: [String], on console: Console) async throws -> Never {
    let format = JournalFormat(of: Counter.self, intents: [.named("counter", CounterIntent.self)])
    let journal = try arguments.count == 2 ? Journal(at: arguments[1], format) : nil
    let store = try Store(state: Counter(), reducer: counter, journal: journal)
    store.add(effectHandler: Bell(of: console))

    let subscription =
      arguments.count == 1
      ? console.show(help)
      : Console.isInteractive ? console.countKeys(in: store) : console.countLines(in: store)
    let end = await console.run(store)
    subscription?.cancel()
    for line in end.left { console.fail(line) }
    end.exit()
  }
}
