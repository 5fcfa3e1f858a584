import Foundation
import GlueConsole

extension Terminal {
  /// Lets another program use the terminal until it ends, as soon as this one waits for keys again.
  ///
  /// - Parameters:
  ///   - program: its path, which is the first argument too.
  ///   - arguments: the arguments after it, each without a NUL.
  ///   - ended: gets its exit status as shells give it, which is 127 if it can't be started.
  func lend(
    to program: String, _ arguments: [[UInt8]], ended: @escaping @Sendable (Int32) -> Void
  ) {
    mailbox.post { user in
      user.leave()
      ended(runInForeground(program, arguments, signals: user.terminal.signals))
      try? user.enter()  // If that fails, the terminal is gone, as the next key will show.
    }
  }
}

/// Runs a program, which gets the keys that interrupt and stop; when it stops, this one does too.
private func runInForeground(
  _ program: String, _ arguments: [[UInt8]], signals: Signals
) -> Int32 {
  let before = [SIGINT, SIGQUIT, SIGTSTP].map { ($0, signal($0, SIG_IGN)) }
  defer { for (number, handler) in before { signal(number, handler) } }
  guard let child = spawn(program, arguments) else { return 127 }
  return waitForEnd(of: child, signals)
}

/// Waits for the end of a child, which gets the signals that would end this program.
///
/// It has a second then to put the terminal in order.
private func waitForEnd(of child: pid_t, _ signals: Signals) -> Int32 {
  var end: Int32?
  defer { if let end { note(end) } }  // For this program to obey.
  while true {
    var status: Int32 = 0
    switch waitpid(child, &status, WNOHANG | WUNTRACED) {
    case 0: break
    case child where status & 0xFF == 0x7F:  // Continuing this program continues that one too.
      takeDefaultAction(of: SIGTSTP)
      kill(child, SIGCONT)
      continue
    case child: return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    default: return 127
    }
    let milliseconds: Int32 = end == nil ? -1 : 1_000
    if waitFor(reading: [signals.descriptor], milliseconds: milliseconds).isEmpty { return 127 }
    let next = signals.next().first(where: isEnd)
    if end == nil, let next {
      end = next
      kill(getpgrp() == getpid() ? 0 : child, next)  // To the child's children too, as keys do.
    }
  }
}

private func spawn(_ program: String, _ arguments: [[UInt8]]) -> pid_t? {
  var attributes = posix_spawnattr_t()
  var all = sigset_t()
  sigfillset(&all)
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
  let strings = ([Array(program.utf8)] + arguments).map {
    strdup(($0 + [0]).map(CChar.init(bitPattern:)))
  }
  defer { for string in strings { free(string) } }
  var child: pid_t = 0
  let code = posix_spawn(&child, program, nil, &attributes, strings + [nil], environ)
  return code == 0 ? child : nil
}
