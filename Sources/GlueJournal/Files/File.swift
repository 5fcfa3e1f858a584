import Glue
import Synchronization

/// An open file, which deinit closes.
final class File: Sendable {
  let path: String
  let name: String

  /// The path when the file was opened; it stays valid when the current directory changes.
  private let absolutePath: String
  let number: Int32
  private let identity: FileIdentity
  private let files: any SystemFiles

  /// The error of a failed sync.
  ///
  /// After one the file neither syncs nor writes, because the system reports a failure once, and a
  /// second sync would prove nothing.
  private let failure = Locked<JournalError?>(nil)
  private let hasFailed = Atomic(false)

  init(_ name: String, in directory: File?, _ access: FileAccess, _ files: any SystemFiles)
    throws
  {
    let path = directory.map { name == "." ? $0.path : "\($0.path)/\(name)" } ?? name
    self.path = path
    absolutePath = directory.map { "\($0.absolutePath)/\(name)" } ?? files.absolute(name)
    self.name = name
    self.files = files
    (number, identity) = try named(path) {
      let number = try files.open(name, in: directory?.number, access)
      do { return (number, try files.identity(of: number)) } catch {
        files.close(number)
        throw error
      }
    }
  }

  deinit { files.close(number) }

  func bytes() throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sizeAtPath ?? 0)
    try forEachPiece { bytes += $0 }
    return bytes
  }

  /// Reads the file from its beginning, in pieces of at most 256 KiB.
  func forEachPiece(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var size = 0
    while true {
      let count = try named(path) {
        try buffer.withUnsafeMutableBytes { try files.read(number, at: size, into: $0) }
      }
      if count == 0 { return }
      try body(buffer[..<count])
      size += count
    }
  }

  /// Writes at the end, so a file that another program has cut off becomes shorter, not sparse.
  func append(_ bytes: [UInt8]) throws { try write(bytes[...], at: nil) }

  func write(_ bytes: ArraySlice<UInt8>, at offset: Int?) throws {
    if hasFailed.load(ordering: .acquiring) {
      throw JournalError(path, "a sync has failed, so nothing more is written")
    }
    var done = 0
    while done < bytes.count {
      let count = try named(path) {
        try bytes.withUnsafeBytes { all in
          try files.write(
            number, at: offset.map { $0 + done },
            UnsafeRawBufferPointer(rebasing: all[done...]))
        }
      }
      if count == 0 { throw JournalError(path, "cannot write: the system wrote nothing") }
      done += count
    }
  }

  /// Syncs the file.
  ///
  /// Calls are serialized.
  func sync() throws {
    let failure = failure.withLock { failure in
      if failure != nil { return failure }
      do { try named(path) { try files.sync(number) } } catch {
        failure = error as? JournalError ?? JournalError(path, "\(error)")
        hasFailed.store(true, ordering: .releasing)
      }
      return failure
    }
    if let failure { throw failure }
  }

  func truncate(to size: Int) throws { try named(path) { try files.truncate(number, to: size) } }

  func tryLock() throws -> Bool { try named(path) { try files.tryLock(number) } }

  /// The file's size, in bytes; nil if its path no longer leads to it.
  var sizeAtPath: Int? {
    let found = try? named(absolutePath) { try files.status(of: absolutePath, in: nil) }
    return found?.identity == identity ? found?.size : nil
  }

  /// Whether the path, or the name in an open directory, still leads to this file.
  ///
  /// It is true where the system doesn't let this process check.
  func isStillHere(in directory: File?) -> Bool {
    do {
      let name = directory == nil ? absolutePath : name
      return try named(name) { try files.status(of: name, in: directory?.number) }.identity
        == identity
    } catch let error as JournalError {
      return !error.isOfMissingFile && !error.isOfNoDirectory
    } catch { return true }
  }
}

/// Makes a call, and repeats it if a signal interrupts it.
///
/// A thrown error names the file.
func named<Result>(_ path: String, _ call: () throws -> Result) throws -> Result {
  while true {
    do { return try call() } catch let error as JournalError {
      if !error.isInterruption { throw JournalError(path, error.reason, code: error.code) }
    }
  }
}
