import Foundation

/// The terminal at standard input, whose keys can be had one at a time.
package struct Terminal {
  private let original: termios

  /// Notes the terminal's modes.
  ///
  /// `tcdrain` stops a program that was started in the background until it is in the foreground:
  /// until then the modes are those of somebody else.
  package init() throws(SystemError) {
    var modes = termios()
    tcdrain(STDIN_FILENO)
    if tcgetattr(STDIN_FILENO, &modes) != 0 { throw SystemError("use the terminal") }
    original = modes
  }

  /// How many rows and columns there are; none of either if the terminal does not know.
  package var size: (rows: Int, columns: Int) {
    var size = winsize()
    _ = ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size)
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Whether this program may change the modes: it is in the foreground, or the terminal is not the
  /// one that controls it.
  package var isOurs: Bool {
    let foreground = tcgetpgrp(STDIN_FILENO)
    return foreground == getpgrp() || foreground < 0
  }

  /// Lets keys be read at once and unechoed, Ctrl-C, Ctrl-D, Ctrl-S and Ctrl-Q among them.
  ///
  /// Ctrl-Z and Ctrl-\ still send their signals, so the latter ends the program even while the
  /// terminal takes no output and other keys wait for that.
  package func readKeys() throws(SystemError) {
    var modes = original
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    modes.c_iflag &= ~tcflag_t(IXON)
    withUnsafeMutableBytes(of: &modes.c_cc) {
      $0[Int(VINTR)] = cc_t(truncatingIfNeeded: fpathconf(STDIN_FILENO, Int32(_PC_VDISABLE)))
      $0[Int(VMIN)] = 1
      $0[Int(VTIME)] = 0
    }
    if tcsetattr(STDIN_FILENO, TCSANOW, &modes) != 0 { throw SystemError("use the terminal") }
  }

  /// Puts the modes back; if that fails the terminal is gone.
  package func restore() {
    var modes = original
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }
}
