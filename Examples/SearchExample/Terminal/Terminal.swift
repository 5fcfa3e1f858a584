import Foundation
import GlueConsole

/// The terminal at standard input and output, whose keys are read one at a time.
struct Terminal: Sendable {
  /// The output to it.
  let output: Output

  let signals: Signals
  let mailbox: Mailbox
  private let modes: KeyModes

  /// Whether there is a terminal that can do more than print lines.
  static var isUsable: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
      && getenv("TERM").map { strcmp($0, "dumb") } != 0
  }

  /// Notes the terminal's modes, and catches the signals that a ``TerminalUser`` handles.
  ///
  /// `tcdrain` stops a program that was started in the background until it is in the foreground:
  /// until then the modes are another program's.
  init() throws(SystemError) {
    tcdrain(STDIN_FILENO)
    guard let modes = KeyModes() else { throw SystemError("use the terminal") }
    self.modes = modes
    mailbox = try Mailbox()
    signals = try Signals([
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD,
    ])
    output = Output(STDOUT_FILENO, interruption: signals.descriptor)
  }

  /// The number of rows and columns; 24 and 80 if the terminal doesn't know.
  var size: Size {
    var size = winsize()
    _ = ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size)
    let (rows, columns) = (Int(size.ws_row), Int(size.ws_col))
    return Size(rows: rows > 0 ? rows : 24, columns: columns > 0 ? columns : 80)
  }

  /// Makes the thread that uses the terminal run a body; any thread may call this.
  func post(_ body: @escaping @Sendable () -> Void) {
    mailbox.post { _ in body() }
  }

  /// Lets keys be read at once and unechoed; Ctrl-\ ends the program even while the terminal takes no
  /// output and other keys wait for that.
  func readKeys() throws(SystemError) {
    if !modes.enter() { throw SystemError("use the terminal") }
  }

  /// Puts the modes back; if that fails the terminal is gone.
  func restore() { modes.leave() }
}

struct Size: Equatable, Sendable {
  var rows: Int
  var columns: Int

  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
  }
}
