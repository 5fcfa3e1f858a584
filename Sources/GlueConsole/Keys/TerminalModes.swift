package import Foundation

extension termios {
  /// These modes, but with keys read at once and unechoed, including Ctrl-C, Ctrl-D, Ctrl-S and
  /// Ctrl-Q; Ctrl-Z and Ctrl-\ still send their signals.
  package var forKeys: termios {
    var modes = self
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    modes.c_iflag &= ~tcflag_t(IXON)
    withUnsafeMutableBytes(of: &modes.c_cc) {
      $0[Int(VINTR)] = cc_t(truncatingIfNeeded: fpathconf(STDIN_FILENO, Int32(_PC_VDISABLE)))
      $0[Int(VMIN)] = 1
      $0[Int(VTIME)] = 0
    }
    return modes
  }
}

/// Whether this program may use the terminal at standard input: it is in the foreground, or the
/// terminal doesn't control it.
package func mayUseTerminal() -> Bool {
  let foreground = tcgetpgrp(STDIN_FILENO)
  return foreground == getpgrp() || foreground < 0
}
