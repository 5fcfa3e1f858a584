import Foundation
import Glue
import TerminalSupport

/// Counts on a terminal: keys in, one line that is redrawn in place out.
struct Interactive: TerminalUser {
  let terminal: Terminal
  private let signals: Signals
  private let output: Output
  private let store = Store(state: AppState(), reducer: reducer)
  private var keys = KeyDecoder()

  init() throws(SystemError) {
    terminal = try Terminal()
    signals = try Signals(Interactive.signals)
    output = Output(STDOUT_FILENO, interruption: signals.descriptor)
  }

  /// Runs until a key or a signal ends it, and leaves the terminal as it was.
  mutating func run() throws(SystemError) -> Ending {
    try terminal.readKeys()
    defer { leaveIfOurs() }
    output.write("\(keyHelp)\n")
    store.add(effectHandler: TerminalBell(output: output))
    let display = store.subscribe(selector: \.value) { [output] in draw($0, on: output) }
    defer { display.cancel() }
    do throws(SystemError) {
      return try handleEvents()
    } catch let error where error.code == EIO {
      return .signal(SIGHUP)  // The terminal is gone, whether or not it has said so.
    }
  }

  private mutating func handleEvents() throws(SystemError) -> Ending {
    while true {
      let event = wait(for: STDIN_FILENO, to: POLLIN, unless: signals.descriptor)
      let ending = event.isInterrupted ? try obey(signals.next()) : try handleKeys()
      if let ending { return ending }
      try output.check()
    }
  }

  private mutating func handleKeys() throws(SystemError) -> Ending? {
    let bytes = try readInput()
    if bytes.isEmpty { return .signal(SIGHUP) }  // This terminal cannot end otherwise.
    for byte in bytes {
      switch keys.command(for: byte) {
      case .send(let intent): store.dispatch(intent)
      case .quit: return .status(ExitStatus.success.rawValue)
      case nil: continue
      }
    }
    return nil
  }

  func enter() throws(SystemError) {
    try terminal.readKeys()
    draw(store.state.value, on: output)
  }

  func leave() {
    terminal.restore()
    output.write("\n")
  }
}

/// Redraws the line without wrapping it.
///
/// In a terminal so narrow that the number does not fit, wrapping would leave parts behind; as it
/// is, such a terminal shows the last digit at its edge.
private func draw(_ value: Int, on output: Output) {
  output.write("\r\u{1B}[K\u{1B}[?7lCounter: \(value)\u{1B}[?7h")
}
