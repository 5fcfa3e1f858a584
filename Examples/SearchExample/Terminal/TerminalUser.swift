import Foundation
import GlueConsole

/// A program that has a terminal to itself, except while it is stopped or another one is in front.
///
/// All its methods are called on the thread that called ``run()``.
protocol TerminalUser: AnyObject {
  var terminal: Terminal { get }

  /// Shows everything: at first, when the terminal is this program's again, and when
  /// it has another size.
  func show()

  /// Ends what ``show()`` began; text may be written, and the terminal's modes are put back next.
  func hide()

  /// Handles a key.
  ///
  /// - Returns: whether to continue.
  func press(_ key: Key) -> Bool
}

extension TerminalUser {
  /// Runs until a key or a signal ends it, and leaves the terminal as it was.
  func run() throws(SystemError) -> Ending {
    do throws(SystemError) {
      try enter()
      defer { leave() }
      return try handleEvents()
    } catch let error where error.code == EIO {
      return .signal(SIGHUP)  // The terminal is gone, whether or not it has said so.
    }
  }

  func enter() throws(SystemError) {
    try terminal.readKeys()
    show()
  }

  /// Leaves the terminal, unless another program has taken it.
  func leave() {
    if !KeyModes.mayUseTerminal { return }
    hide()
    terminal.restore()
  }

  private func handleEvents() throws(SystemError) -> Ending {
    let (signals, mailbox) = (terminal.signals, terminal.mailbox)
    var keys = KeyDecoder()
    while true {
      let ready = waitFor(
        reading: [signals.descriptor, STDIN_FILENO, mailbox.descriptor],
        milliseconds: keys.isUndecided ? 50 : -1)
      if ready.contains(signals.descriptor), let end = try obey(signals.next()) { return end }
      if ready.contains(STDIN_FILENO) {
        let bytes = try readInput()
        if bytes.isEmpty { return .signal(SIGHUP) }  // This terminal cannot end otherwise.
        if !press(keys.keys(for: bytes)) { return .status(EXIT_SUCCESS) }
      }
      if ready.isEmpty { _ = press(keys.decide()) }
      if ready.contains(mailbox.descriptor) { for body in mailbox.take() { body(self) } }
      try terminal.output.check()
    }
  }

  private func press(_ keys: [Key]) -> Bool {
    keys.allSatisfy(press)
  }

  /// Handles a signal that would end the program first, otherwise the last signal.
  ///
  /// - Returns: the way to end, if the program should.
  private func obey(_ signals: [Int32]) throws(SystemError) -> Ending? {
    if let end = signals.first(where: isEnd) {
      note(end)  // Noted again, so that the last output doesn't wait for a stuck terminal.
      return .signal(end)
    }
    let last = signals.last { $0 == SIGTSTP || $0 == SIGCONT }
    if last == SIGTSTP {
      suspend()
    } else if last == SIGCONT || signals.contains(SIGWINCH) {
      try resume()
    }
    return nil
  }

  /// Stops until a shell continues the program.
  ///
  /// Without a shell that could, the system refuses the stop; SIGCONT resumes in any case.
  private func suspend() {
    leave()
    takeDefaultAction(of: SIGTSTP)
    raise(SIGCONT)
  }

  /// Takes the terminal again or, if the shell has kept it, waits for it.
  private func resume() throws(SystemError) {
    guard KeyModes.mayUseTerminal else { return takeDefaultAction(of: SIGTTOU) }
    try enter()
  }
}

/// Whether a signal asks the program to end.
func isEnd(_ signal: Int32) -> Bool {
  [SIGHUP, SIGINT, SIGQUIT, SIGTERM].contains(signal)
}
