import Foundation

/// The reason why a command can't be started, found or ended.
public struct ChildProcessError: Error, CustomStringConvertible, Sendable {
  /// The kinds of errors.
  public enum Kind: Sendable {
    /// There is no file at the command's path.
    case notFound

    /// The command's file can't be executed.
    case notExecutable

    /// An earlier command still holds the lock.
    case running

    /// The directory of the output or of the lock is missing.
    case noFile

    /// The system's error is another one, such as too many processes.
    case other
  }

  /// The kind of the error.
  public let kind: Kind

  /// One line, which names the command or the file, and what was expected.
  public let description: String

  static func start(_ command: String, _ code: Int32) -> ChildProcessError {
    switch code {
    case ENOENT where access(command, F_OK) == 0:
      ChildProcessError(
        kind: .notExecutable,
        description:
          "\(command): the interpreter named in its first line was expected, and is missing")
    case ENOENT, ENOTDIR:
      ChildProcessError(
        kind: .notFound,
        description: "\(command): not found; the path of an executable file was expected")
    case EACCES, ENOEXEC:
      ChildProcessError(
        kind: .notExecutable,
        description:
          "\(command): not executable (\(text(code))); a program, or a script whose first "
          + "line begins with #! and which may be executed, was expected")
    default:
      ChildProcessError(kind: .other, description: "\(command): cannot be started: \(text(code))")
    }
  }

  static func file(_ path: String, for command: String?, _ code: Int32) -> ChildProcessError {
    let user = command.map { ", a file of \($0)" } ?? ""
    return ChildProcessError(
      kind: code == ENOENT ? .noFile : .other,
      description: "\(path)\(user): cannot be opened: \(text(code))")
  }

  static func running(_ command: String, lock: String) -> ChildProcessError {
    ChildProcessError(
      kind: .running,
      description: "\(command): not started, because an earlier command still holds \(lock); wait "
        + "for it, or end it by ChildProcess.terminate(lock:)")
  }

  static func hiddenHolder(of lock: String) -> ChildProcessError {
    ChildProcessError(
      kind: .other,
      description: "\(lock): held by a process that this program can't see in /proc; the same user "
        + "as the command's, or root, was expected")
  }
}

private func text(_ code: Int32) -> String { String(cString: strerror(code)) }

/// Stops the program: the status of a command is gone, and its id may be another's.
func stopForTakenStatus(of command: String) -> Never {
  fatalError(
    """
    GlueProcesses: the status of \(command) was taken by another part of the program.
      Wrong: waitpid(-1, …), or signal(SIGCHLD, SIG_IGN)
      Right: wait for each of your own children by its id
    """)
}
