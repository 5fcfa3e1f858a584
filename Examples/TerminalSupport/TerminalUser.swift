import Foundation

/// What has a terminal to itself, except while the program is stopped or another one is in front.
package protocol TerminalUser {
  var terminal: Terminal { get }

  /// Begins to read keys, and shows what there is to show; the terminal is this program's.
  func enter() throws(SystemError)

  /// Puts the terminal back as it was; it is this program's.
  func leave()
}

extension TerminalUser {
  /// The signals that ``obey(_:)`` knows.
  package static var signals: [Int32] { [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT] }

  /// Leaves the terminal, if nobody else has taken it.
  package func leaveIfOurs() {
    if terminal.isOurs { leave() }
  }

  /// Obeys what would end the program before all else, and else the last of what came.
  ///
  /// - Parameter signals: the numbers of some of ``signals``.
  /// - Returns: how the program is to end, if it is.
  /// - Throws: what kept the terminal from being used again.
  package func obey(_ signals: [Int32]) throws(SystemError) -> Ending? {
    if let end = signals.first(where: { $0 != SIGTSTP && $0 != SIGCONT }) {
      raise(end)  // Noted again, it keeps the last output from waiting for a stuck terminal.
      return .signal(end)
    }
    switch signals.last {
    case SIGTSTP?: suspend()
    case SIGCONT?: try resume()
    default: break
    }
    return nil
  }

  /// Stops until a shell continues the program.
  ///
  /// Without a shell that could, the system refuses the stop; SIGCONT then resumes all the same.
  private func suspend() {
    leaveIfOurs()
    takeDefaultAction(of: SIGTSTP)
    raise(SIGCONT)
  }

  /// Takes the terminal again, or, where the shell has kept it, waits to be given it.
  private func resume() throws(SystemError) {
    guard terminal.isOurs else { return takeDefaultAction(of: SIGTTOU) }
    try enter()
  }
}
