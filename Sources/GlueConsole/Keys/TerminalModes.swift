package import Foundation

/// How the terminal at standard input treats keys, for a program with a loop of its own.
///
///     if let modes = KeyModes(), modes.enter() {
///       defer { modes.leave() }
///       var decoder = KeyDecoder()
///       while let bytes = readInput() { decoder.keys(for: bytes).forEach(press) }
///     }
///
/// ``Console/readKeys(_:)`` does this, and all that signals need, for a program that has none.
public struct KeyModes: Sendable {
  private let original: termios

  /// Notes the modes to put back; nil if standard input is no terminal.
  ///
  /// If a program that `SIGKILL` ended has left the modes for keys, they are the usual ones of a shell.
  public init?() {
    var modes = termios()
    if tcgetattr(STDIN_FILENO, &modes) != 0 { return nil }
    original = modes.repaired
  }

  /// Lets the terminal send keys at once, and not show them; Ctrl-C, Ctrl-D, Ctrl-S and Ctrl-Q are keys,
  /// and only Ctrl-Z and Ctrl-\ send signals.
  ///
  /// - Returns: whether there still is a terminal.
  @discardableResult
  public func enter() -> Bool { set(original.forKeys) }

  /// Puts the modes back; to be called in the foreground alone.
  public func leave() { _ = set(original) }

  private func set(_ modes: termios) -> Bool {
    withUnsafePointer(to: modes) { tcsetattr(STDIN_FILENO, TCSANOW, $0) } == 0
  }

  /// Whether this program may use the terminal at standard input: it is in the foreground, or the
  /// terminal doesn't control it.
  public static var mayUseTerminal: Bool {
    let foreground = tcgetpgrp(STDIN_FILENO)
    return foreground == getpgrp() || foreground < 0
  }
}

extension termios {
  /// These modes, but with keys read at once and unechoed, including Ctrl-C, Ctrl-D, Ctrl-S and
  /// Ctrl-Q; Ctrl-Z and Ctrl-\ still send their signals.
  package var forKeys: termios {
    var modes = self
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    modes.c_iflag &= ~tcflag_t(IXON)
    modes.interrupt = Self.noCharacter
    withUnsafeMutableBytes(of: &modes.c_cc) {
      $0[Int(VMIN)] = 1
      $0[Int(VTIME)] = 0
    }
    return modes
  }

  /// These modes; but if a killed program has left those for keys, the usual ones of a shell.
  ///
  /// No program can put the modes back when SIGKILL ends it, and not every shell does. So the next
  /// program that a shell starts finds the modes for keys, and would put those back. A program that
  /// another one starts keeps them: they are that program's.
  fileprivate var repaired: termios {
    var modes = self
    if isForKeys && getpgrp() == getpid() {
      modes.c_lflag |= tcflag_t(ICANON | ECHO)
      modes.c_iflag |= tcflag_t(IXON)
      modes.interrupt = 0x03
    }
    return modes
  }

  /// Whether ``forKeys`` would change nothing.
  ///
  /// Other raw modes have a character for Ctrl-C, or send no signals.
  package var isForKeys: Bool {
    c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ISIG) && c_iflag & tcflag_t(IXON) == 0
      && interrupt == Self.noCharacter
      && withUnsafeBytes(of: c_cc) { $0[Int(VMIN)] == 1 && $0[Int(VTIME)] == 0 }
  }

  /// The character that sends SIGINT.
  private var interrupt: cc_t {
    get { withUnsafeBytes(of: c_cc) { $0[Int(VINTR)] } }
    set { withUnsafeMutableBytes(of: &c_cc) { $0[Int(VINTR)] = newValue } }
  }

  /// Stands for a signal that no character sends.
  private static var noCharacter: cc_t {
    cc_t(truncatingIfNeeded: fpathconf(STDIN_FILENO, Int32(_PC_VDISABLE)))
  }
}
