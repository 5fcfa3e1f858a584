package import Foundation

extension termios {
  /// These modes, but that keys are read at once and unechoed, Ctrl-C, Ctrl-D, Ctrl-S and Ctrl-Q among
  /// them; Ctrl-Z and Ctrl-\ still send their signals.
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
/// terminal is not the one that controls it.
package func mayUseTerminal() -> Bool {
  let foreground = tcgetpgrp(STDIN_FILENO)
  return foreground == getpgrp() || foreground < 0
}
