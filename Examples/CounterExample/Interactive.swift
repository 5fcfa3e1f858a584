import Foundation
import Glue
import TerminalSupport

/// Counts on a terminal: keys in, one line that is redrawn in place out.
struct Interactive {
  private let terminal: Terminal
  private let signals: Signals
  private let output: Output
  private let store = Store(state: AppState(), reducer: reducer)
  private var keys = KeyDecoder()

  init() throws(SystemError) {
    terminal = try Terminal()
    signals = try Signals([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT])
    output = Output(STDOUT_FILENO, interruption: signals.descriptor)
  }

  /// Runs until a key or a signal ends it, and leaves the terminal as it was.
  mutating func run() throws(SystemError) -> Ending {
    try terminal.readKeys()
    defer { leave() }
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
      let ending = event.isInterrupted ? try handle(signals.next()) : try handleKeys()
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

  /// Obeys what would end the program before all else, and else the last of what came.
  private func handle(_ signals: [Int32]) throws(SystemError) -> Ending? {
    if let end = signals.first(where: { $0 != SIGTSTP && $0 != SIGCONT }) {
      raise(end)  // Noted again, it keeps the last output from waiting for a stuck terminal.
      return .signal(end)
    }
    if signals.last == SIGTSTP { suspend() } else { try resume() }
    return nil
  }

  /// Stops until a shell continues the program.
  ///
  /// Without a shell that could, the system refuses the stop; SIGCONT then resumes all the same.
  private func suspend() {
    leave()
    takeDefaultAction(of: SIGTSTP)
    raise(SIGCONT)
  }

  /// Takes the terminal again, or, where the shell has kept it, waits to be given it.
  private func resume() throws(SystemError) {
    guard terminal.isOurs else { return takeDefaultAction(of: SIGTTOU) }
    try terminal.readKeys()
    draw(store.state.value, on: output)
  }

  /// Gives the terminal back as it was, if nobody else has taken it.
  private func leave() {
    guard terminal.isOurs else { return }
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
