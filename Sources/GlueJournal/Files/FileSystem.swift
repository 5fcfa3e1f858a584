/// The few calls by which a journal uses files, so that a test can put faults and crashes in.
///
/// Each does what the system call of its name does: it may be interrupted, and write or read less
/// than it was asked to. ``File`` sees to that. Names are looked up in an open directory, or in the
/// current one where there is none.
protocol FileSystem: Sendable {
  func open(_ name: String, in directory: Int32?, _ access: Access) throws -> Int32
  func close(_ file: Int32)
  func read(_ file: Int32, at offset: Int, into: UnsafeMutableRawBufferPointer) throws -> Int
  func write(_ file: Int32, at offset: Int, _ bytes: UnsafeRawBufferPointer) throws -> Int

  /// Returns when all that was written to a file, or the names in a directory, are on the disk.
  func sync(_ file: Int32) throws
  func truncate(_ file: Int32, to size: Int) throws
  func rename(_ name: String, to new: String, in directory: Int32?) throws
  func remove(_ name: String, in directory: Int32?) throws
  func makeDirectory(_ path: String) throws

  /// - Throws: that this process may not make files in a directory.
  func checkWritable(_ directory: Int32) throws
  func list(_ directory: Int32) throws -> [String]

  /// - Returns: whether nobody else holds the lock.
  func lock(_ file: Int32) throws -> Bool
  func identity(of file: Int32) throws -> FileIdentity
  func identity(of name: String, in directory: Int32?) throws -> FileIdentity

  /// What identifies the time since the kernel has started; nil where that cannot be known.
  var boot: String? { get }
}

/// What a file is, whatever its name.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let number: UInt64
}

/// What a file is opened for.
///
/// None follows a symbolic link in the file's place.
enum Access: Sendable {
  /// To be read, if it is a regular file.
  case reading

  /// To be written from its beginning; made, for its owner alone, or emptied.
  case making

  /// To be written; made, for its owner alone, if nothing has its name.
  case adding

  /// To be read and written, as it is.
  case updating

  /// To be locked; made if it is not there.
  case locking

  /// To have names looked up in it, synced, or locked.
  case directory
}

extension FileSystem {
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
let temporaryEnding = ".new"

/// Repeats a call that was interrupted by a signal.
func uninterrupted<Result>(_ call: () throws -> Result) throws -> Result {
  while true {
    do { return try call() } catch let error as JournalError where error.isInterruption {}
  }
}
