import Foundation
import Glue
import GlueConsole
import GlueJournal

struct AppState: Codable { var value = 0 }
enum AppIntent: Intent, Codable { case increment, decrement }
enum AppEffect: Effect { case playSound }

func reducer(state: inout AppState, intent: AppIntent) -> [AppEffect] {
  switch intent {
  case .increment:
    state.value += 1
    return state.value % 5 == 0 ? [.playSound] : []
  case .decrement:
    state.value = max(0, state.value - 1)
    return []
  }
}

@main
struct Program {
  let console = Console(endedBy: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])

  static func main() async {
    let (program, arguments) = (Program(), Array(CommandLine.arguments.dropFirst()))
    switch (arguments.first, arguments.count) {
    case (nil, _), ("--journal", 2), ("-h", 1), ("--help", 1):
      do { try await program.run(arguments) } catch { program.fail("\(error)") }
      exit(EXIT_FAILURE)
    default:
      program.fail("unknown arguments \(quoted(arguments.joined(separator: " ")))\n\(usage)")
      exit(EX_USAGE)
    }
  }

  /// Counts from 0, or from the end of a directory's journal; or prints the help.
  func run(_ arguments: [String]) async throws -> Never {
    let format = JournalFormat(of: AppState.self, intents: [.named("counter", AppIntent.self)])
    let journal = try arguments.count == 2 ? Journal(at: arguments[1], format) : nil
    let store = try Store(
      state: AppState(), reducer: reducer, journal: journal,
      handlers: { handlers in
        handlers.on(AppEffect.self) { _, _ in console.write("\u{7}", terminator: "") }
      })
    let isHelp = arguments.count == 1
    let output = isHelp ? nil : Console.isInteractive ? countKeys(store) : countLines(store)
    if isHelp { console.write(help) }
    if isHelp { console.end() }
    let end = await console.run(store)
    output?.cancel()
    for line in end.left { fail(line) }
    end.exit()
  }

  func countKeys(_ store: Store<AppState>) -> Subscription {
    console.write(keyHelp)
    console.readKeys { key in
      switch key {
      case .text("+"), .text("k"), .up: store.dispatch(AppIntent.increment)
      case .text("-"), .text("j"), .down: store.dispatch(AppIntent.decrement)
      case .text("q"), .control("C"), .control("D"): console.end()
      default: break
      }
    }
    return store.subscribe { console.status("Counter: \($0.value)") }
  }

  func countLines(_ store: Store<AppState>) -> Subscription {
    var isAnswer = false  // The value on subscribing answers no command.
    let answers = store.subscribe {
      if isAnswer { console.write("Counter: \($0.value)") }
      isAnswer = true
    }
    console.readLines { line, number in
      switch line.trimmingCharacters(in: .whitespaces) {
      case "": break
      case "+", "increment": store.dispatch(AppIntent.increment)
      case "-", "decrement": store.dispatch(AppIntent.decrement)
      case "q": console.end()
      case let text: fail("line \(number): \(quoted(text)) is not a command; \(expected)")
      }
    }
    return answers
  }

  func fail(_ message: String) { console.writeError("CounterExample: \(message)") }
}

private func quoted(_ text: String) -> String {
  "\(text.prefix(40))\(text.count > 40 ? "…" : "")".debugDescription
}
