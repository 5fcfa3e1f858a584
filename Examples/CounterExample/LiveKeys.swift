import Glue
import TerminalSupport

/// Counts on a terminal: keys in, one line that is redrawn in place out.
final class LiveKeys: TerminalUser {
  let terminal: Terminal
  private let store: Store<AppState>
  private var drawing: Subscription?

  init(store: Store<AppState>) throws(SystemError) {
    self.store = store
    terminal = try Terminal()
    store.add(effectHandler: TerminalBell(output: terminal.output))
    terminal.output.write("\(keyHelp)\n")
  }

  /// Draws the value as it is, for a new subscriber gets that first, and then whenever it changes.
  func show() {
    drawing = store.subscribe(selector: \.value) { [terminal] value in
      // Where the number does not fit, wrapping would leave parts behind.
      terminal.output.write("\r\u{1B}[K\u{1B}[?7lCounter: \(value)\u{1B}[?7h")
    }
  }

  func hide() {
    drawing = nil
    terminal.output.write("\n")
  }

  func press(_ key: Key) -> Bool {
    switch key {
    case .up: store.dispatch(AppIntent.increment)
    case .down: store.dispatch(AppIntent.decrement)
    case .text(let text): return text.allSatisfy(type)
    case .control("C"), .control("D"): return false
    default: break
    }
    return true
  }

  private func type(_ character: Character) -> Bool {
    switch character {
    case "+", "k": store.dispatch(AppIntent.increment)
    case "-", "j": store.dispatch(AppIntent.decrement)
    default: break
    }
    return character != "q"
  }
}
