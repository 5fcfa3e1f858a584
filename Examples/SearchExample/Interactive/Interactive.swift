import Foundation
import Glue
import TerminalSupport

/// Searches on a terminal as the user types.
///
/// One thread, in ``run()``, reads keys and signals and draws; the store delivers there. The search
/// has threads of its own, which never wait for it.
struct Interactive {
  private let signals: Signals
  private let output: Output
  private let screen: FullScreen
  private let mailbox = Mailbox()
  private let store: Store<SearchState>
  private var keys = KeyDecoder()

  init(directory: Path) throws(SystemError) {
    let terminal = try Terminal()
    signals = try Signals(FullScreen.signals + [SIGWINCH])
    output = Output(STDOUT_FILENO, interruption: signals.descriptor)
    screen = FullScreen(terminal, output: output)
    store = Store(
      state: SearchState(directory: directory, size: Size(of: terminal)), reducer: searchReducer,
      delivery: .custom { [mailbox] in mailbox.post($0) })
    store.add(effectHandler: SearchHandler())
    store.add(
      effectHandler: OpenHandler(
        screen: screen, environment: ProcessInfo.processInfo.environment))
  }

  /// Runs until a key or a signal ends it, and leaves the terminal as it was.
  mutating func run() throws(SystemError) -> Ending {
    try screen.enter()
    defer { screen.leaveIfOurs() }
    let drawing = store.subscribe(selector: Screen.init) { [screen] in screen.draw($0) }
    defer { drawing.cancel() }
    do throws(SystemError) {
      return try handleEvents()
    } catch let error where error.code == EIO {
      return .signal(SIGHUP)  // The terminal is gone, whether or not it has said so.
    }
  }

  private mutating func handleEvents() throws(SystemError) -> Ending {
    while true {
      let ready = waitToRead(
        anyOf: [signals.descriptor, STDIN_FILENO, mailbox.descriptor],
        milliseconds: keys.isUndecided ? 50 : -1)
      if ready.contains(signals.descriptor), let ending = try obey(signals.next()) {
        return ending
      }
      if ready.contains(STDIN_FILENO), let ending = try readKeys() { return ending }
      if ready.isEmpty, let command = keys.decide() { _ = obey(command) }
      if ready.contains(mailbox.descriptor) { mailbox.run() }
      try output.check()
    }
  }

  private func obey(_ signals: [Int32]) throws(SystemError) -> Ending? {
    if signals.contains(SIGWINCH) {
      screen.redraw()  // What the terminal has made of what it showed is unknown.
      store.dispatch(SearchIntent.resize(Size(of: screen.terminal)))
    }
    return try screen.obey(signals.filter { $0 != SIGWINCH })
  }

  private mutating func readKeys() throws(SystemError) -> Ending? {
    let bytes = try readInput()
    if bytes.isEmpty { return .signal(SIGHUP) }  // This terminal cannot end otherwise.
    for command in keys.commands(for: bytes) {
      if let ending = obey(command) { return ending }
    }
    return nil
  }

  private func obey(_ command: Command) -> Ending? {
    switch command {
    case .send(let intent): store.dispatch(intent)
    case .quit: return .status(ExitStatus.success.rawValue)
    }
    return nil
  }
}

extension Size {
  /// The terminal's size or, if it does not know that, the usual one.
  fileprivate init(of terminal: Terminal) {
    let size = terminal.size
    self.init(
      rows: size.rows > 0 ? size.rows : 24, columns: size.columns > 0 ? size.columns : 80)
  }
}
