internal import Foundation

/// The files of the system.
struct SystemFiles: FileSystem {
  func open(_ path: String, _ access: Access) throws -> Int32 {
    let file = Foundation.open(path, access.flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try check(file, "open", path)
    if case .directory = access { return file }
    var status = stat()
    if fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG { return file }
    close(file)
    throw JournalError(path, "this is no regular file")
  }

  func close(_ file: Int32) { _ = Foundation.close(file) }

  func read(_ file: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  {
    try check(pread(file, buffer.baseAddress, buffer.count, off_t(offset)), "read")
  }

  func write(_ file: Int32, at offset: Int, _ bytes: UnsafeRawBufferPointer) throws -> Int {
    try check(pwrite(file, bytes.baseAddress, bytes.count, off_t(offset)), "write")
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

  func rename(_ path: String, to new: String) throws {
    try check(Foundation.rename(path, new), "rename", path)
  }

  func remove(_ path: String) throws { try check(unlink(path), "remove", path) }

  func makeDirectory(_ path: String) throws { try check(mkdir(path, 0o700), "make", path) }

  func checkWritable(_ directory: String) throws {
    try check(
      faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS), "make files here", directory)
  }

  func list(_ directory: String) throws -> [String] {
    let file = try open(directory, .directory)
    guard let stream = fdopendir(file) else {
      defer { close(file) }
      throw JournalError("list", directory, errno)
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

  func lock(_ file: Int32) throws -> Bool {
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw JournalError("lock", "", errno)
  }

  var boot: String? {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.split(separator: "\n").first.map(String.init)
  }
}

extension JournalError {
  /// A call of the system's has failed.
  init(_ call: String, _ path: String, _ code: Int32) {
    self.init(path, "cannot \(call): \(String(cString: strerror(code)))", code: code)
  }

  var isInterruption: Bool { code == EINTR }
  var isOfMissingFile: Bool { code == ENOENT }
  var isOfPresentFile: Bool { code == EEXIST }
  var isOfNoDirectory: Bool { code == ENOTDIR }
}

@discardableResult
private func check<Result: SignedInteger>(
  _ result: Result, _ call: String, _ path: String = ""
) throws -> Result {
  if result < 0 { throw JournalError(call, path, errno) }
  return result
}

extension Access {
  fileprivate var flags: Int32 {
    switch self {
    case .reading: O_RDONLY
    case .making: O_RDWR | O_CREAT | O_TRUNC
    case .updating: O_RDWR
    case .locking: O_RDWR | O_CREAT
    case .directory: O_RDONLY | O_DIRECTORY
    }
  }
}

/// The time of day, in microseconds since 1970.
func microsecondsNow() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return max(0, Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000)
}

/// The number of this process.
func processNumber() -> Int { Int(getpid()) }

/// Lets some time pass before something is tried again.
func sleepBriefly() { usleep(5000) }

/// Writes a line to standard error.
func printReport(_ text: String) {
  FileHandle.standardError.write(Data("Glue: \(text)\n".utf8))
}
