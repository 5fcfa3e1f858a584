import Foundation

/// The lock of a file that a command holds, and each process that inherits the command's descriptor.
///
/// It is a lock of the open file, as `flock` makes them, so it ends with the last process that has the
/// file open. Unlike `flock`, this kind can be looked at without being taken for a moment, in which a
/// start would fail.
struct CommandLock: Sendable {
  /// The number of the descriptor in the command.
  static let descriptor: Int32 = 100

  let path: String

  /// Takes the lock for a command.
  ///
  /// - Returns: the descriptor that holds it.
  func take(for command: String) throws(ChildProcessError) -> Int32 {
    let file = try openFile(path, O_RDWR | O_CREAT, for: command)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    if fcntl(file, setLock, &lock) == 0 { return file }
    let code = errno
    close(file)
    throw code == EAGAIN || code == EACCES
      ? .running(command, lock: path) : .file(path, for: command, code)
  }

  /// Whether any process holds the lock.
  func isHeld() throws(ChildProcessError) -> Bool {
    try withFile { file throws(ChildProcessError) in
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      if fcntl(file, getLock, &lock) != 0 { throw .file(path, for: nil, errno) }
      return lock.l_type != Int16(F_UNLCK)
    } ?? false
  }

  /// Blocks the thread until no process holds the lock.
  func waitUntilFree() throws(ChildProcessError) {
    try withFile { file throws(ChildProcessError) in
      var lock = flock()
      lock.l_type = Int16(F_RDLCK)
      while fcntl(file, waitForLock, &lock) != 0 {
        if errno != EINTR { throw .file(path, for: nil, errno) }
      }
    }
  }

  /// Sends a signal to the groups of the processes that hold the lock now.
  ///
  /// - Returns: whether there were any that this program may see.
  func signalHolders(_ number: Int32) throws(ChildProcessError) -> Bool {
    try withFile { file throws(ChildProcessError) in
      var (locked, groups) = (stat(), Set<pid_t>())
      fstat(file, &locked)
      for process in processes() where inherits(locked, process) {
        let group = getpgid(process)
        // A process that has ended meanwhile has group -1, and no command is in this program's own.
        guard group > 1, group != getpgrp(), groups.insert(group).inserted else { continue }
        kill(-group, number)
        kill(-group, SIGCONT)
      }
      return !groups.isEmpty
    } ?? false
  }

  /// Blocks the thread until no process holds the lock, and ends the groups of those that do.
  ///
  /// A process that is missing in one list, because its parent was making it, is in a later one.
  func killHolders() throws(ChildProcessError) {
    var pause: UInt32 = 1_000
    while try isHeld() {
      _ = try signalHolders(SIGKILL)
      usleep(pause)
      // One that doesn't die, because its disk is gone for example, is asked twice a second.
      pause = min(pause * 2, 500_000)
    }
  }

  /// Sends `SIGTERM` to the groups of the processes that hold the lock.
  func terminateHolders() throws(ChildProcessError) {
    for _ in 0..<20 {
      if try signalHolders(SIGTERM) { return }
      if try !isHeld() { return }
      usleep(1_000)
    }
    throw .hiddenHolder(of: path)
  }

  private func processes() -> [pid_t] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
    return (names ?? []).compactMap { pid_t($0) }
  }

  /// Whether a process has the file from its parent: a program that starts a command, or looks at the
  /// lock, has the file only until it executes another program.
  private func inherits(_ file: stat, _ process: pid_t) -> Bool {
    var open = stat()
    let (path, number) = ("/proc/\(process)", CommandLock.descriptor)
    guard stat("\(path)/fd/\(number)", &open) == 0, open.st_ino == file.st_ino,
      open.st_dev == file.st_dev,
      let information = try? String(contentsOfFile: "\(path)/fdinfo/\(number)", encoding: .utf8),
      let line = information.split(separator: "\n").first(where: { $0.hasPrefix("flags:") }),
      let flags = Int32(line.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8)
    else { return false }
    return flags & O_CLOEXEC == 0
  }

  /// Calls the body with the open file; returns nil if there is none.
  private func withFile<Result>(
    _ body: (Int32) throws(ChildProcessError) -> Result
  ) throws(ChildProcessError) -> Result? {
    let file: Int32
    do {
      file = try openFile(path, O_RDONLY, for: nil)
    } catch {
      if error.kind == .noFile { return nil }
      throw error
    }
    defer { close(file) }
    return try body(file)
  }
}

// Linux's F_OFD_GETLK, F_OFD_SETLK and F_OFD_SETLKW, which Swift doesn't import.
private let getLock: Int32 = 36
private let setLock: Int32 = 37
private let waitForLock: Int32 = 38
