/// The lock of a journal's directory, held as long as this lives (J11).
final class DirectoryLock: Sendable {
  private let files: any FileSystem
  private let file: Int32

  /// Locks a directory.
  ///
  /// - Parameters:
  ///   - directory: where the lock is.
  ///   - time: how long to wait for somebody else who holds it.
  /// - Throws: that somebody does, and who.
  init(of directory: Directory, waiting time: Duration) throws {
    files = directory.files
    let path = directory.path(of: "lock")
    file = try files.uninterrupted { [files] () throws(FileError) in
      try files.open(path, .locking)
    }
    let end = ContinuousClock.now + time
    while try !take() {
      if ContinuousClock.now >= end {
        let owner = String(decoding: (try? files.readAll(path)) ?? [], as: UTF8.self)
        let name = owner.split(separator: "\n").first.map { "process \($0)" } ?? "another process"
        throw JournalError(
          directory.path, "\(name) has this journal open, and only one store at a time may")
      }
      sleepBriefly()
    }
    try files.truncate(file, to: 0)
    try files.writeAll(Array("\(processNumber())\n".utf8), to: file, at: 0)
  }

  deinit { files.close(file) }

  private func take() throws(FileError) -> Bool {
    try files.uninterrupted { () throws(FileError) in try files.lock(file) }
  }
}
