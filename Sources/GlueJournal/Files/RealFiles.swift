internal import Dispatch
internal import Foundation
internal import Glue

/// The files and services of the system that the program runs on.
package let systemFiles: any SystemFiles = RealFiles()

/// The files and services of the system.
struct RealFiles: SystemFiles {
  func open(_ name: String, in directory: Int32?, _ access: FileAccess) throws -> Int32 {
    let flags = access.flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = openat(directory ?? AT_FDCWD, name, flags, 0o600)
    if file < 0 {
      let code = errno
      guard let target = target(ofLink: name, in: directory) else {
        throw JournalError("open", name, code)
      }
      throw JournalError(
        name, "this is a symbolic link to \(target), and a journal follows none", code: ELOOP)
    }
    if access == .directory { return file }
    if let status = try? status(of: file), status.st_mode & S_IFMT == S_IFREG { return file }
    close(file)
    throw JournalError(name, "this is not a regular file")
  }

  private func target(ofLink name: String, in directory: Int32?) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(directory ?? AT_FDCWD, name, &target, target.count)
    if count < 0 { return nil }
    return String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Gives a lock back first: a process that is being started has copies of all descriptors until its
  /// program begins, and they hold the lock, too.
  func close(_ file: Int32) {
    _ = flock(file, LOCK_UN)
    _ = Foundation.close(file)
  }

  func read(_ file: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  {
    try check(pread(file, buffer.baseAddress, buffer.count, off_t(offset)), "read")
  }

  func write(_ file: Int32, at offset: Int?, _ bytes: UnsafeRawBufferPointer) throws -> Int {
    guard let offset else {
      return try check(Foundation.write(file, bytes.baseAddress, bytes.count), "write")
    }
    return try check(pwrite(file, bytes.baseAddress, bytes.count, off_t(offset)), "write")
  }

  func sync(_ file: Int32) throws {
    #if canImport(Darwin)
      try check(fcntl(file, F_FULLFSYNC), "sync")
    #else
      try check(fdatasync(file), "sync")
    #endif
  }

  func truncate(_ file: Int32, to size: Int) throws {
    try check(ftruncate(file, off_t(size)), "truncate")
  }

  func rename(_ name: String, to new: String, in directory: Int32?) throws {
    let directory = directory ?? AT_FDCWD
    try check(renameat(directory, name, directory, new), "rename", name)
  }

  func remove(_ name: String, in directory: Int32?) throws {
    try check(unlinkat(directory ?? AT_FDCWD, name, 0), "remove", name)
  }

  func makeDirectory(_ path: String) throws {
    systemDiskWatch.withLock { $0 }?(path)
    if mkdir(path, 0o700) != 0 && errno != EEXIST { throw JournalError("create", path, errno) }
  }

  func checkWritable(_ directory: Int32) throws {
    try check(faccessat(directory, ".", W_OK | X_OK, AT_EACCESS), "create files here")
  }

  func list(_ directory: Int32) throws -> [String] {
    let file = try open(".", in: directory, .directory)
    guard let stream = fdopendir(file) else {
      defer { close(file) }
      throw JournalError("list", "", errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { names.append(String(cString: $0)) }
      }
    }
    return names
  }

  func tryLock(_ file: Int32) throws -> Bool {
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    // NFS locks what is open for writing, as a directory never is: there `lock` is all there is.
    if errno == EBADF { return true }
    throw JournalError("lock", "", errno)
  }

  func identity(of file: Int32) throws -> FileIdentity { identity(try status(of: file)) }

  func status(of name: String, in directory: Int32?) throws -> (identity: FileIdentity, size: Int) {
    var status = stat()
    let result = name.withCString { fstatat(directory ?? AT_FDCWD, $0, &status, 0) }
    try check(result, "find", name)
    return (identity(status), Int(status.st_size))
  }

  private func identity(_ status: stat) -> FileIdentity {
    FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  private func status(of file: Int32) throws -> stat {
    var status = stat()
    try check(fstat(file, &status), "inspect")
    return status
  }

  func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
  }

  var microseconds: Int { microsecondsNow() }

  var uptime: Duration { start.duration(to: .now) }

  func yieldThread() { sched_yield() }

  func sleepBriefly() { usleep(5000) }

  func number() -> UInt32 { .random(in: .min ... .max) }

  var owner: String { thisProcess }

  func makeQueue(_ label: String, isUrgent: Bool) -> any WorkQueue {
    DispatchQueue(label: label, qos: isUrgent ? .unspecified : .utility)
  }

  func report(_ line: String) { writeToStandardError("Glue: \(line)") }

  func noteDivergence(_ text: String) {}
  func noteStore(on clock: any Clock<Duration>, after commit: Int?) {}

  func stop(_ message: String) -> Never { fatalError(message) }

  var boot: String? {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.split(separator: "\n").first.map(String.init)
  }
}

extension FileAccess {
  fileprivate var flags: Int32 {
    switch self {
    case .reading: O_RDONLY
    case .updating: O_RDWR
    case .making: O_RDWR | O_CREAT | O_APPEND
    case .adding: O_RDWR | O_CREAT | O_EXCL
    case .directory: O_RDONLY | O_DIRECTORY
    }
  }
}

extension JournalError {
  package init(_ call: String, _ path: String, _ code: Int32) {
    self.init(path, "cannot \(call): \(String(cString: strerror(code)))", code: code)
  }

  var isInterruption: Bool { code == EINTR }
  var isOfMissingFile: Bool { code == ENOENT }
  var isOfNoDirectory: Bool { code == ENOTDIR }
}

@discardableResult
private func check<Result: SignedInteger>(
  _ result: Result, _ call: String, _ path: String = ""
) throws -> Result {
  if result < 0 { throw JournalError(call, path, errno) }
  return result
}

/// The time of the wall clock, in microseconds since 1970.
func microsecondsNow() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return max(0, Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000)
}

private let start = ContinuousClock.now

/// The number of this process, and a random one, because processes in two containers can have the
/// same number.
private let thisProcess = "\(getpid())\n\(UInt64.random(in: .min ... .max))\n"

extension DispatchQueue: WorkQueue {
  package func run(_ body: @escaping @Sendable () -> Void) { async(execute: body) }

  package func run(after time: Duration, _ body: @escaping @Sendable () -> Void) {
    asyncAfter(deadline: .now() + time / .seconds(1), execute: body)
  }

  package func wait() { sync {} }
}
