import Foundation

/// A command that runs in a group of processes of its own, and is ended with all of it.
///
///     let backup = ChildProcess(
///       "/usr/bin/pg_dump", ["-Fc", "jobs"], output: "backup.log", lock: "backup.lock")
///     let ending = try await backup.run(timeout: .seconds(600))
///
/// The command begins with default signals, none of them blocked, reads `/dev/null`, and inherits no
/// descriptor but those of its output and its lock.
public struct ChildProcess: Sendable {
  /// How a command ended.
  public enum Ending: Hashable, Codable, Sendable {
    /// The command exited with this status, which is 0 for success.
    case exited(Int32)

    /// A signal ended the command.
    case signaled(Int32)

    /// The command took longer than its timeout, and was ended.
    case timedOut
  }

  /// The path of an executable file.
  public let command: String

  /// The arguments after the command's path, which is the first.
  public let arguments: [String]

  /// The command's environment; nil for that of this program.
  public let environment: [String: String]?

  /// The path of the file that output and errors are appended to; nil for the output of this program.
  public let output: String?

  /// The path of the file whose lock the command holds while it runs, if any.
  public let lock: String?

  /// Describes a command, which ``run(timeout:grace:clock:)`` starts.
  ///
  /// - Parameters:
  ///   - command: the path of an executable file; `PATH` isn't searched.
  ///   - arguments: the arguments after the path.
  ///   - environment: replaces this program's environment.
  ///   - output: the path of a file to append output and errors to. A new file is for its owner alone
  ///     (mode 0600). Without one, the command writes to the output of this program.
  ///   - lock: the path of a file by which ``isRunning(lock:)`` finds the command, even after a crash
  ///     of this program. The file is created, and stays: don't remove it, or the command isn't found.
  public init(
    _ command: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    output: String? = nil, lock: String? = nil
  ) {
    self.command = command
    self.arguments = arguments
    self.environment = environment
    self.output = output
    self.lock = lock
  }

  /// Runs the command, and returns when it has ended.
  ///
  /// At the timeout, or if the task is canceled, the command's group gets `SIGTERM`, and `SIGKILL`
  /// after the grace. When the command itself has exited, what it left in its group gets `SIGKILL` at
  /// once; with a lock, so does each process that inherited the lock and left the group, and this
  /// returns when none holds the lock any more.
  ///
  /// - Parameters:
  ///   - timeout: how long the command may run; nil for any time.
  ///   - grace: how long the command may take to end after `SIGTERM`.
  ///   - clock: measures both.
  /// - Returns: how the command ended.
  /// - Throws: ``ChildProcessError`` if the command can't be started, and `CancellationError` if the
  ///   task is canceled: before the start, or once the command has been ended.
  public func run(
    timeout: Duration? = nil, grace: Duration = .seconds(5),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> Ending {
    try Task.checkCancellation()
    let running = try RunningCommand(self)
    let timer = timeout.map { timeout in
      Task {
        try await clock.sleep(for: timeout)
        running.end(for: .timeout, grace: grace, clock)
      }
    }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      try await running.ending()
    } onCancel: {
      running.end(for: .cancellation, grace: grace, clock)
    }
  }

  /// Whether a command that was started with this lock, or a process that it started, still runs.
  ///
  /// The answer trusts no process id: it is true as long as a process holds the lock, which each one
  /// inherits from its parent as descriptor 100. A process that closes the descriptors it doesn't
  /// know isn't found, unless its parent still runs.
  ///
  /// - Parameter lock: the path of the lock file; a missing one is held by nothing.
  /// - Returns: whether any process holds the lock.
  /// - Throws: ``ChildProcessError`` if the file can't be read.
  public static func isRunning(lock: String) throws -> Bool {
    try CommandLock(path: lock).isHeld()
  }

  /// Ends the command that was started with this lock, although the program that started it may have
  /// crashed, and returns when none of its processes holds the lock any more.
  ///
  /// The groups of the processes that hold the lock get `SIGTERM`, and `SIGKILL` after the grace. If
  /// the task is canceled, this continues.
  ///
  /// - Parameters:
  ///   - lock: the path of the lock file.
  ///   - grace: how long the command may take to end after `SIGTERM`.
  ///   - clock: measures it.
  /// - Returns: whether a process held the lock.
  /// - Throws: ``ChildProcessError`` if the file can't be read, or if this program may not see the
  ///   processes, for example another user's.
  @discardableResult
  public static func terminate(
    lock: String, grace: Duration = .seconds(5), clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> Bool {
    let lock = CommandLock(path: lock)
    guard try lock.isHeld() else { return false }
    try await onOwnThread { () throws(ChildProcessError) in try lock.terminateHolders() }
    let killing = Task {
      try await clock.sleep(for: grace)
      try await onOwnThread { () throws(ChildProcessError) in try lock.killHolders() }
    }
    try await onOwnThread { () throws(ChildProcessError) in try lock.waitUntilFree() }
    killing.cancel()
    // It must not find the command that is started next.
    _ = await killing.result
    return true
  }
}
