/// A file of a journal's, as it was read.
package struct Source {
  package let path: String
  package let bytes: [UInt8]

  /// The number of its first record, by its name in a journal's directory.
  var number: Int?
}

/// The directory of a journal, and what its files are called: by the number of a record, the state
/// before it, `.state`, and the log that begins with it, `.log`.
package struct Directory: Sendable {
  let path: String
  let files: any FileSystem

  package init(at path: String) { self.init(at: path, SystemFiles()) }

  init(at path: String, _ files: any FileSystem) {
    self.path = path
    self.files = files
  }

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// Makes the directory, if it is not there, such that its name is on the disk.
  func make() throws {
    do {
      try files.makeDirectory(path)
      try syncNames(in: path + "/..")
    } catch let error as JournalError where error.isOfPresentFile {}
  }

  /// Locks the directory (J11).
  ///
  /// - Parameter time: how long to wait for somebody else who has locked it.
  /// - Returns: the lock, which is free again when it goes.
  /// - Throws: that somebody has, and who, or that no files can be made here.
  func lock(waiting time: Duration) throws -> File {
    let file = try open("lock", .locking)
    let end = ContinuousClock.now + time
    while try !file.lock() {
      if ContinuousClock.now >= end {
        let owner = String(decoding: (try? file.bytes()) ?? [], as: UTF8.self)
        let name = owner.split(separator: "\n").first.map { "process \($0)" } ?? "another process"
        throw JournalError(path, "\(name) has this journal open, and only one store at a time may")
      }
      sleepBriefly()
    }
    try files.checkWritable(path)
    try file.truncate(to: 0)
    try file.write(Array("\(processNumber())\n".utf8), at: 0)
    return file
  }

  func open(_ name: String, _ access: Access) throws -> File {
    try File(path(of: name), access, files)
  }

  func source(_ name: String) throws -> Source {
    Source(
      path: path(of: name), bytes: try open(name, .reading).bytes(), number: Contents.number(name))
  }

  /// Writes a whole file, such that either all of it is there under its name or nothing.
  func place(_ bytes: [UInt8], as name: String) throws {
    try replace(path(of: name), by: bytes)
    try syncNames(in: path)
  }

  /// Writes a file anywhere, such that either all of it is there or what was before.
  func replace(_ path: String, by bytes: [UInt8]) throws {
    let file = try File(path + temporaryEnding, .making, files)
    try file.write(bytes, at: 0)
    try file.sync()
    try files.rename(file.path, to: path)
  }

  /// Makes names durable that are new, have changed, or are gone.
  func syncNames(in directory: String) throws {
    try File(directory, .directory, files).sync()
  }

  func remove(_ names: [String]) throws {
    for name in names { try files.remove(path(of: name)) }
  }

  /// What is there.
  func contents() throws -> Contents {
    Contents(names: try uninterrupted { try files.list(path) })
  }
}

private let temporaryEnding = ".new"

/// The files of a directory that are a journal's.
struct Contents {
  let names: [String]

  /// The numbers of the states, and of the logs, in order.
  var states: [Int] { numbers("state") }
  var logs: [Int] { numbers("log") }

  /// What was left by a process that ended while it wrote it.
  var unfinished: [String] {
    names.filter { Contents.number($0) != nil && $0.hasSuffix(temporaryEnding) }
  }

  /// The files that nothing from a record on needs.
  func names(before record: Int) -> [String] {
    names.filter { Contents.number($0).map { $0 < record } ?? false }
  }

  /// The number in the name of a file, if it is a journal's.
  static func number(_ name: String) -> Int? {
    let parts = name.split(separator: ".", maxSplits: 1)
    if parts.count < 2 || parts[0].utf8.count != 16 { return nil }
    return parts[0].utf8.allSatisfy { 48...57 ~= $0 } ? Int(parts[0]) : nil
  }

  static func name(_ record: Int, _ ending: String) -> String {
    let digits = String(record)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits + "." + ending
  }

  private func numbers(_ ending: String) -> [Int] {
    names.compactMap { name in
      Contents.number(name).flatMap { Contents.name($0, ending) == name ? $0 : nil }
    }.sorted()
  }
}
