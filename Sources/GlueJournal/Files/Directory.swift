package struct Source: Sendable {
  package let path: String
  package let bytes: [UInt8]

  /// The file's name in a journal's directory; nil for an export, which holds states and logs.
  var file: FileName?

  package var isExport: Bool { file == nil }
  package var isState: Bool { file?.isState == true }
}

/// The directory of a journal.
///
/// The number of a record names two files: the log that begins with it, `.log`, and the state
/// before it, `.state`. The directory stays open, and every name is looked up in it, even if its
/// path later leads elsewhere.
package struct Directory: Sendable {
  let path: String
  package let files: any SystemFiles
  private let handle: File

  package init(
    at path: String, _ files: any SystemFiles = systemFiles, isMade: Bool = false
  ) throws {
    // A trailing slash would follow a symbolic link.
    var name = path[...]
    while name.count > 1 && name.last == "/" { name.removeLast() }
    self.path = String(name)
    self.files = files
    if isMade { try files.makeDirectory(self.path) }
    handle = try File(self.path, in: nil, .directory, files)
  }

  /// Locks the directory (J11).
  ///
  /// It locks the directory itself, because another program can delete the file `lock`, and the
  /// next opener would then lock a new one. It locks that file too, because NFS locks no directories.
  func lock(waiting time: Duration) throws -> [File] {
    let end = files.uptime + time
    let directory = try open(".", .directory)
    try acquire(directory, until: end)
    let file = try open("lock", .making)
    try acquire(file, until: end)
    try files.checkWritable(handle.number)
    try file.truncate(to: 0)
    try file.write(Array(files.owner.utf8)[...], at: 0)
    return [directory, file]
  }

  private func acquire(_ lock: File, until end: Duration) throws {
    while try !lock.tryLock() {
      if files.uptime >= end {
        let found = String(decoding: (try? open("lock", .reading).bytes()) ?? [], as: UTF8.self)
        let name = found.split(separator: "\n").first.map { "process \($0)" } ?? "another process"
        throw JournalError(
          path,
          "\(found == files.owner ? "this process" : name) has this journal open; only one store can use it"
        )
      }
      files.sleepBriefly()
    }
  }

  func open(_ name: String, _ access: FileAccess) throws -> File {
    try File(name, in: handle, access, files)
  }

  /// Checks that the next process will find what this one wrote to a file, and nothing else.
  ///
  /// It looks at the directory only if the file's path doesn't lead to the file. So it doesn't notice
  /// another directory that holds a hard link of the file; that one's `lock` is another file.
  func check(_ file: File, holds size: Int) throws {
    var (path, change) = (file.path, "the file was removed or replaced")
    if let found = file.sizeAtPath {
      if found == size { return }
      change = found < size ? "the file was cut off" : "another program wrote to the file"
    } else {
      let isHere = handle.isStillHere(in: nil)
      if isHere && file.isStillHere(in: handle) { return }
      if !isHere { (path, change) = (self.path, "the directory was removed or replaced") }
    }
    throw JournalError(
      path, "\(change) while a program used it, so the next program would not find the records",
      cure: "Keep other programs away from the journal's files")
  }

  func source(_ name: FileName) throws -> Source {
    let file = try open(name.text, .reading)
    return Source(path: file.path, bytes: try file.bytes(), file: name)
  }

  func place(_ bytes: [UInt8], as name: String) throws {
    try files.replace(name, in: handle, by: bytes)
    try syncNames()
  }

  /// Makes new, changed and removed names durable.
  func syncNames() throws { try handle.sync() }

  /// Makes the directory's own name durable.
  func syncName() throws { try open("..", .directory).sync() }

  func remove(_ name: FileName) throws { try files.remove(name.text, in: handle.number) }

  func remove(_ file: File) throws { try files.remove(file.name, in: handle.number) }

  func rename(_ file: File, to name: String) throws {
    try files.rename(file.name, to: name, in: handle.number)
  }

  /// The names of a journal's files, in the order of their numbers, states before logs.
  func names() throws -> [FileName] {
    try named(path) { try files.list(handle.number) }.compactMap(FileName.init).sorted {
      ($0.number, $1.ending) < ($1.number, $0.ending)
    }
  }
}

/// The name of a journal's file: the number of its first record, in 16 digits, and an ending.
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

  var text: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits + "." + ending
  }
  var isState: Bool { ending == "state" }
  var isLog: Bool { ending == "log" }
  /// Whether it is a copy that only an operator removes.
  var isKept: Bool { ending.hasSuffix(keptEnding) }
  var isUnfinished: Bool { ending.hasSuffix(temporaryEnding) }
}

extension SystemFiles {
  /// Replaces a file atomically: its name leads to the old content or to all of the new one.
  func replace(_ name: String, in directory: File?, by bytes: [UInt8]) throws {
    let temporary = temporaryName(for: name)
    let file = try File(temporary, in: directory, .adding, self)
    do {
      try file.write(bytes[...], at: 0)
      try file.sync()
      try rename(temporary, to: name, in: directory?.number)
    } catch {
      try? remove(temporary, in: directory?.number)
      throw error
    }
  }

  func temporaryName(for name: String) -> String {
    "\(name).\(String(number(), radix: 16))\(temporaryEnding)"
  }
}

private let temporaryEnding = ".new"
let keptEnding = ".kept"
