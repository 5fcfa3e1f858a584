import Foundation
import Synchronization

/// The terminal at standard input, which sends keys one at a time while a program has it.
final class KeyTerminal: Sendable {
  private enum Phase {
    case waiting

    case entered(KeyModes)

    /// The keys were given up, while the program is stopped or for good.
    case left(KeyModes)
    case ended
  }

  private let phase = Mutex(Phase.waiting)

  /// Enables reading of keys.
  ///
  /// In the background it stops the program, and doesn't touch the terminal until the program is
  /// continued.
  func enter() {
    switch phase.withLock({ $0 }) {
    case .ended: return
    case .waiting: takeDefaultAction(of: SIGTTOU) { tcdrain(STDIN_FILENO) }  // Of all of its job.
    case .entered, .left: if !KeyModes.mayUseTerminal { return takeDefaultAction(of: SIGTTOU) }
    }
    phase.withLock { phase in
      let noted: KeyModes?
      switch phase {
      case .waiting: noted = KeyModes()
      case .entered(let modes), .left(let modes): noted = modes
      case .ended: return
      }
      guard let noted else { return }
      phase = .entered(noted)
      noted.enter()
    }
  }

  /// Puts the modes back, unless another program has the terminal.
  func leave(forGood: Bool = false) {
    phase.withLock { phase in
      if case .entered(let modes) = phase {
        if KeyModes.mayUseTerminal { modes.leave() }
        phase = .left(modes)
      }
      if forGood { phase = .ended }
    }
  }

  /// Restores the modes, stops the program as a shell's job, and returns when it is continued.
  ///
  /// If no shell could continue it, the system refuses to stop it, and this returns.
  func suspend() {
    leave()
    takeDefaultAction(of: SIGTSTP)
    kill(getpid(), SIGCONT)
  }

  /// Calls a body with keys until the terminal is gone.
  func readKeys(_ body: (Key) -> Void) {
    var keys = KeyDecoder()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      switch poll(&input, 1, keys.isUndecided ? 50 : -1) {
      case 0: keys.decide().forEach { $0.single.forEach(body) }
      case 1 where KeyModes.mayUseTerminal:
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        let pressed = keys.keys(for: Array(buffer.prefix(max(count, 0))))
        for key in pressed { key.single.forEach(body) }
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { return }
      case 1: takeDefaultAction(of: SIGTTIN)
      default: if errno != EINTR { return }
      }
    }
  }
}

extension Key {
  /// This key, or a key for each character.
  fileprivate var single: [Key] {
    if case .text(let text) = self { text.map { .text(String($0)) } } else { [self] }
  }
}
