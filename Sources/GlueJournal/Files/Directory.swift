/// The directory of a journal, and what its files are called.
struct Directory: Sendable {
  let path: String
  let files: any FileSystem

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// The file of the state after a commit.
  func stateName(_ commit: Int) -> String { "\(digits(commit)).state" }

  /// The file of the commits after a commit.
  func logName(_ commit: Int) -> String { "\(digits(commit)).log" }

  /// What is there.
  func contents() throws(FileError) -> Contents {
    Contents(names: try files.uninterrupted { () throws(FileError) in try files.list(path) })
  }

  func source(_ name: String) throws(FileError) -> Source {
    Source(path: path(of: name), bytes: try files.readAll(path(of: name)))
  }

  /// Writes a whole file, such that either all of it is there under its name or nothing.
  func place(_ bytes: [UInt8], as name: String) throws(FileError) {
    let temporary = path(of: name + temporaryEnding)
    let file = try files.uninterrupted { () throws(FileError) in
      try files.open(temporary, .making)
    }
    defer { files.close(file) }
    try files.writeAll(bytes, to: file, at: 0)
    try files.syncAll(file)
    try files.rename(temporary, to: path(of: name))
    try files.syncNames(in: path)
  }

  func remove(_ names: [String]) throws(FileError) {
    for name in names { try files.remove(path(of: name)) }
  }
}

private let temporaryEnding = ".new"

/// Zeros before a number let names be in its order.
private func digits(_ number: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
}

/// The files of a directory that are a journal's.
struct Contents {
  let names: [String]

  /// The commits of the states, and those that logs begin after, in order.
  var states: [Int] { numbers(".state") }
  var logs: [Int] { numbers(".log") }

  /// What was left by a process that ended while it wrote it.
  var unfinished: [String] { names.filter { number($0) != nil && $0.hasSuffix(temporaryEnding) } }

  /// The files that nothing after a commit needs.
  func names(before commit: Int) -> [String] {
    names.filter { number($0).map { $0 < commit } ?? false }
  }

  private func numbers(_ ending: String) -> [Int] {
    names.filter { $0.hasSuffix(ending) && $0.count == 16 + ending.count }
      .compactMap { number($0) }.sorted()
  }

  private func number(_ name: String) -> Int? {
    guard name.utf8.count > 17, name.dropFirst(16).first == "." else { return nil }
    let digits = name.prefix(16)
    return digits.utf8.allSatisfy { 48...57 ~= $0 } ? Int(digits) : nil
  }
}
