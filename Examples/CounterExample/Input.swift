import Foundation
import Glue
import GlueConsole

extension Console {
  /// Turns keys into intents, and shows the number in a line that is redrawn.
  func countKeys(in store: Store<Counter>) -> Subscription? {
    write(keyHelp)
    readKeys { key in
      switch key {
      case .text("+"), .text("k"), .up: store.dispatch(CounterIntent.increment)
      case .text("-"), .text("j"), .down: store.dispatch(CounterIntent.decrement)
      case .text("q"), .control("C"), .control("D"): self.end()
      default: break
      }
    }
    return store.subscribe { self.status("Counter: \($0.value)") }
  }

  /// Turns lines into intents, and answers each with a line.
  func countLines(in store: Store<Counter>) -> Subscription? {
    var isAnswer = false  // The value on subscribing answers no command.
    let subscription = store.subscribe {
      if isAnswer { self.write("Counter: \($0.value)") }
      isAnswer = true
    }
    readLines { line, number in
      switch line.trimmingCharacters(in: .whitespaces) {
      case "": break
      case "+", "increment": store.dispatch(CounterIntent.increment)
      case "-", "decrement": store.dispatch(CounterIntent.decrement)
      case "q": self.end()
      case let text: self.fail("line \(number): \(quoted(text)) is not a command; \(expected)")
      }
    }
    return subscription
  }

  /// Writes the help, and ends.
  func show(_ help: String) -> Subscription? {
    write(help)
    end()
    return nil
  }

  func fail(_ message: String) { writeError("CounterExample: \(message)") }
}

func quoted(_ text: String) -> String {
  "\(text.prefix(40))\(text.count > 40 ? "…" : "")".debugDescription
}
