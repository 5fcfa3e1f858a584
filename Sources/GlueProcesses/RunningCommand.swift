import CGlueProcesses
import Foundation
import Synchronization

/// A started command, whose id stays its own until the command's status is taken.
final class RunningCommand: Sendable {
  enum Cause { case timeout, cancellation }

  private struct Phase {
    /// The status has been taken, so the id may belong to another process.
    var isOver = false

    /// Why the group was ended, if it was.
    var cause: Cause?
    var killing: Task<Void, any Error>?
  }

  private let command: String
  private let lock: CommandLock?
  private let id: pid_t
  private let phase = Mutex(Phase())

  init(_ child: ChildProcess) throws(ChildProcessError) {
    command = child.command
    lock = child.lock.map { CommandLock(path: $0) }
    let output = try child.output.map { path throws(ChildProcessError) in
      try openFile(path, O_WRONLY | O_CREAT | O_APPEND, for: child.command)
    }
    defer { if let output { close(output) } }
    let lock = try lock?.take(for: child.command)
    defer { if let lock { close(lock) } }
    id = try spawn(child, output: output, lock: lock)
  }

  /// Sends the group `SIGTERM`, and `SIGKILL` after the grace.
  ///
  /// Only the first call has an effect.
  func end(for cause: Cause, grace: Duration, _ clock: any Clock<Duration>) {
    phase.withLock { phase in
      guard !phase.isOver, phase.cause == nil else { return }
      phase.cause = cause
      kill(-id, SIGTERM)
      kill(-id, SIGCONT)
      phase.killing = Task {
        try await clock.sleep(for: grace)
        self.phase.withLock { if !$0.isOver { kill(-self.id, SIGKILL) } }
      }
    }
  }

  func ending() async throws -> ChildProcess.Ending {
    let status = await onOwnThread { self.wait() }
    let (cause, killing) = phase.withLock { ($0.cause, $0.killing) }
    killing?.cancel()
    switch cause {
    case .cancellation: throw CancellationError()
    case .timeout: return .timedOut
    case nil: return status & 0x7F == 0 ? .exited(status >> 8) : .signaled(status & 0x7F)
    }
  }

  /// Waits until the command has exited, and ends what it left.
  private func wait() -> Int32 {
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 {
      if errno != EINTR { stopForTakenStatus(of: command) }
    }
    let status = phase.withLock { phase in
      // The exited command keeps the group's id from being another's, until its status is taken.
      kill(-id, SIGKILL)
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      phase.isOver = true
      return status
    }
    try? lock?.killHolders()
    return status
  }
}

/// Starts a command as the leader of a new group.
private func spawn(
  _ child: ChildProcess, output: Int32?, lock: Int32?
) throws(ChildProcessError) -> pid_t {
  var files = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&files)
  defer { posix_spawn_file_actions_destroy(&files) }
  if let output {
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO)
  }
  // The lock is kept as the input while all else is closed, even what another thread has just opened.
  if let lock { posix_spawn_file_actions_adddup2(&files, lock, STDIN_FILENO) }
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1)
  if lock != nil {
    posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, CommandLock.descriptor)
  }
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)

  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var (all, none) = (sigset_t(), sigset_t())
  sigfillset(&all)
  sigemptyset(&none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setpgroup(&attributes, 0)
  let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
  posix_spawnattr_setflags(&attributes, Int16(flags))

  let variables = (child.environment ?? ProcessInfo.processInfo.environment)
    .map { "\($0)=\($1)" }
  let arguments = ([child.command] + child.arguments).map { strdup($0) }
  let environment = variables.map { strdup($0) }
  defer { for string in arguments + environment { free(string) } }
  var id: pid_t = 0
  let code = posix_spawn(
    &id, child.command, &files, &attributes, arguments + [nil], environment + [nil])
  if code != 0 { throw ChildProcessError.start(child.command, code) }
  return id
}

/// Opens a file, which is closed when another program starts, above the standard descriptors: those
/// are what a child's are made of.
func openFile(
  _ path: String, _ flags: Int32, for command: String?
) throws(ChildProcessError) -> Int32 {
  let descriptor = open(path, flags | O_CLOEXEC, 0o600)
  if descriptor > STDERR_FILENO { return descriptor }
  if descriptor < 0 { throw ChildProcessError.file(path, for: command, errno) }
  defer { close(descriptor) }
  return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
}

/// Makes a call that blocks, on a thread that may wait.
func onOwnThread<Value: Sendable, Failure: Error>(
  _ call: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(returning: Result { () throws(Failure) in try call() })
    }
  }.get()
}
