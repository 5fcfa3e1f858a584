/// A file of a journal's, as it was read.
package struct Source: Sendable {
  package let path: String
  package let bytes: [UInt8]

  /// The number of its first record, by its name in a journal's directory.
  var number: Int?

  /// Whether it holds a state, not a log; nil if it is an export, which holds both.
  var isState: Bool? { number.map { _ in path.hasSuffix(".state") } }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// The directory of a journal, and what its files are called: by the number of a record, the state
/// before it, `.state`, and the log that begins with it, `.log`.
///
/// It stays open, and names are looked up in it, whatever becomes of its path.
package struct Directory: Sendable {
  let path: String
  let files: SystemFiles
  private let handle: File
  private let absolutePath: String

  package init(at path: String) throws { try self.init(at: path, SystemFiles()) }

  /// Opens a directory.
  ///
  /// - Parameters:
  ///   - path: its path; a symbolic link is refused.
  ///   - files: the files of the system, or of a test.
  ///   - isMade: whether it is made if it is not there.
  /// - Throws: that there is none, or that it cannot be read.
  init(at path: String, _ files: SystemFiles, isMade: Bool = false) throws {
    // With a slash at its end a link would be followed.
    var name = path[...]
    while name.count > 1 && name.last == "/" { name.removeLast() }
    let path = String(name)
    if isMade {
      do { try files.makeDirectory(path) } catch let error as JournalError
        where error.isOfPresentFile
      {}
    }
    self.path = path
    self.files = files
    handle = try File(path, in: nil, .directory, files)
    absolutePath = absolute(path)
  }

  /// Locks the directory (J11).
  ///
  /// Both it and the file `lock` are locked: a file can be deleted, and made anew by the next one;
  /// earlier versions of this library lock the file alone.
  ///
  /// - Parameter time: how long to wait for another owner.
  /// - Returns: the locks, which are free again when they go.
  /// - Throws: that there is another owner, and which, or that no files can be made here.
  func lock(waiting time: Duration) throws -> [File] {
    let end = ContinuousClock.now + time
    let directory = try open(".", .directory)
    try acquire(directory, until: end)
    let file = try open("lock", .locking)
    try acquire(file, until: end)
    try files.checkWritable(handle.number)
    try file.truncate(to: 0)
    try file.write(Array("\(processNumber())\n".utf8), at: 0)
    return [directory, file]
  }

  private func acquire(_ lock: File, until end: ContinuousClock.Instant) throws {
    while try !lock.lock() {
      if ContinuousClock.now >= end {
        let owner = String(decoding: (try? open("lock", .reading).bytes()) ?? [], as: UTF8.self)
        let name = owner.split(separator: "\n").first.map { "process \($0)" } ?? "another process"
        throw JournalError(path, "\(name) has this journal open, and only one store at a time may")
      }
      sleepBriefly()
    }
  }

  func open(_ name: String, _ access: SystemFiles.Access) throws -> File {
    try File(name, in: handle, access, files)
  }

  /// Makes sure that the next process will find what was written to a file.
  func checkPlace(of file: File) throws {
    let isHere = handle.isStill(absolutePath, in: nil)
    if isHere && file.isStill(file.name, in: handle) { return }
    throw JournalError(
      isHere ? file.path : path,
      "the \(isHere ? "file" : "directory") was removed or replaced while a program uses it, so "
        + "the next one would not find what this one writes",
      cure: "Keep other programs away from its files")
  }

  func source(_ name: String) throws -> Source {
    let file = try open(name, .reading)
    return Source(path: file.path, bytes: try file.bytes(), number: FileName(name)?.number)
  }

  /// Writes a whole file, such that either all of it is there under its name or nothing.
  func place(_ bytes: [UInt8], as name: String) throws {
    try files.replace(name, in: handle, by: bytes)
    try syncNames()
  }

  /// Makes names durable that are new, have changed, or are gone.
  func syncNames() throws { try handle.sync() }

  /// Makes the directory's own name durable.
  func syncName() throws { try open("..", .directory).sync() }

  func remove(_ names: [String]) throws {
    for name in names { try files.remove(name, in: handle.number) }
  }

  /// The names of a journal's files, in the order of their numbers, states before logs.
  func names() throws -> [FileName] {
    try named(path) { try files.list(handle.number) }.compactMap(FileName.init).sorted {
      ($0.number, $1.ending) < ($1.number, $0.ending)
    }
  }
}

/// The name of a journal's file: the number of its first record in 16 digits, and an ending.
struct FileName {
  let number: Int
  let ending: String

  init?(_ name: String) {
    let parts = name.split(separator: ".", maxSplits: 1)
    guard parts.count == 2, parts[0].utf8.count == 16,
      parts[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(parts[0])
    else { return nil }
    self.init(number, String(parts[1]))
  }

  init(_ number: Int, _ ending: String) {
    self.number = number
    self.ending = ending
  }

  var name: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits + "." + ending
  }

  var isState: Bool { ending == "state" }
  var isLog: Bool { ending == "log" }

  /// Whether a process ended while it wrote the file.
  var isUnfinished: Bool { ending.hasSuffix(temporaryEnding) }
}

extension SystemFiles {
  /// Writes a whole file, such that either all of it is there under its name or what was before.
  func replace(_ name: String, in directory: File?, by bytes: [UInt8]) throws {
    let random = String(UInt32.random(in: .min ... .max), radix: 16)
    let temporary = "\(name).\(random)\(temporaryEnding)"
    let file = try File(temporary, in: directory, .adding, self)
    do {
      try file.write(bytes, at: 0)
      try file.sync()
      try rename(temporary, to: name, in: directory?.number)
    } catch {
      try? remove(temporary, in: directory?.number)
      throw error
    }
  }
}

/// The ending of files that are not whole.
private let temporaryEnding = ".new"
