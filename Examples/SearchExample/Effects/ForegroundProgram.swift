import Foundation
import TerminalSupport

/// Runs another program, to which the terminal belongs until it ends.
///
/// The keys that interrupt and stop are for that program; when it stops, this one does too.
///
/// - Parameters:
///   - program: its path, which is the first argument too.
///   - arguments: what follows it.
/// - Returns: its exit status as shells give it, which is 127 if it cannot be started.
func runInForeground(_ program: String, _ arguments: [[UInt8]]) -> Int32 {
  let before = [SIGINT, SIGQUIT, SIGTSTP].map { ($0, signal($0, SIG_IGN)) }
  defer { for (number, handler) in before { signal(number, handler) } }
  guard let child = spawn(program, arguments) else { return 127 }
  return waitForEnd(of: child)
}

private func waitForEnd(of child: pid_t) -> Int32 {
  while true {
    var status: Int32 = 0
    if waitpid(child, &status, WUNTRACED) < 0 { return 127 }
    switch status & 0x7F {
    case 0: return status >> 8 & 0xFF
    case 0x7F:  // It has stopped; whoever continues this program means that one too.
      takeDefaultAction(of: SIGTSTP)
      kill(child, SIGCONT)
    case let number: return 128 + number
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
