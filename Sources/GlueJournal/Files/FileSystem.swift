import Glue
import Synchronization

/// The few calls by which a journal uses files, so that a test can put faults and crashes in.
///
/// Each does what the system call of its name does: it may be interrupted, and write or read less
/// than it was asked to. ``File`` sees to that.
protocol FileSystem: Sendable {
  func open(_ path: String, _ access: Access) throws -> Int32
  func close(_ file: Int32)
  func read(_ file: Int32, at offset: Int, into: UnsafeMutableRawBufferPointer) throws -> Int
  func write(_ file: Int32, at offset: Int, _ bytes: UnsafeRawBufferPointer) throws -> Int

  /// Returns when all that was written to a file, or the names in a directory, are on the disk.
  func sync(_ file: Int32) throws
  func truncate(_ file: Int32, to size: Int) throws
  func rename(_ path: String, to new: String) throws
  func remove(_ path: String) throws
  func makeDirectory(_ path: String) throws

  /// - Throws: that this process may not make files in a directory.
  func checkWritable(_ directory: String) throws
  func list(_ directory: String) throws -> [String]

  /// - Returns: whether nobody else holds the lock.
  func lock(_ file: Int32) throws -> Bool

  /// What identifies the time since the kernel has started; nil where that cannot be known.
  var boot: String? { get }
}

/// What a file is opened for.
///
/// None follows a symbolic link in the file's place.
enum Access: Sendable {
  /// To be read, if it is a regular file.
  case reading

  /// To be written from its beginning; made, for its owner alone, or emptied.
  case making

  /// To be read and written, as it is.
  case updating

  /// To be locked; made if it is not there.
  case locking

  /// To have the names in it synced.
  case directory
}

/// A file that is open as long as this lives.
final class File: Sendable {
  let path: String
  private let files: any FileSystem
  private let number: Int32

  /// Why a sync has failed, if one has.
  ///
  /// None is tried after that: the system tells of a failure once, and the next would prove nothing.
  private let syncFailure = Guarded<JournalError?>(nil)

  /// Whether one has: then nothing is written any more either.
  private let hasFailed = Atomic(false)

  init(_ path: String, _ access: Access, _ files: any FileSystem) throws {
    self.path = path
    self.files = files
    number = try GlueJournal.uninterrupted { try files.open(path, access) }
  }

  deinit { files.close(number) }

  func bytes() throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = try uninterrupted {
        try buffer.withUnsafeMutableBytes { try files.read(number, at: bytes.count, into: $0) }
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  func write(_ bytes: [UInt8], at offset: Int) throws {
    if hasFailed.load(ordering: .acquiring) {
      throw JournalError(path, "nothing is written after a sync has failed")
    }
    var done = 0
    while done < bytes.count {
      done += try uninterrupted {
        try bytes.withUnsafeBytes { all in
          try files.write(
            number, at: offset + done, UnsafeRawBufferPointer(rebasing: all[done...]))
        }
      }
    }
  }

  /// Syncs the file, one sync after the other.
  func sync() throws {
    try syncFailure.withLock { failure in
      Result { () throws(JournalError) in
        if let failure { throw failure }
        do { try uninterrupted { try files.sync(number) } } catch {
          let error = error as? JournalError ?? JournalError(path, "\(error)")
          failure = error
          hasFailed.store(true, ordering: .releasing)
          throw error
        }
      }
    }.get()
  }

  func truncate(to size: Int) throws { try uninterrupted { try files.truncate(number, to: size) } }

  /// - Returns: whether nobody else holds the lock.
  func lock() throws -> Bool { try uninterrupted { try files.lock(number) } }

  private func uninterrupted<Result>(_ call: () throws -> Result) throws -> Result {
    do { return try GlueJournal.uninterrupted(call) } catch let error as JournalError {
      throw JournalError(path, error.reason, code: error.code)
    }
  }
}

/// Repeats a call that was interrupted by a signal.
func uninterrupted<Result>(_ call: () throws -> Result) throws -> Result {
  while true {
    do { return try call() } catch let error as JournalError where error.isInterruption {}
  }
}
