/// The few calls by which a journal uses files, so that a test can put faults and crashes in.
///
/// Each does what the system call of its name does: it may be interrupted, and write or read less
/// than it was asked to. ``readAll(_:)``, ``writeAll(_:to:at:named:)`` and the like see to that.
protocol FileSystem: Sendable {
  func open(_ path: String, _ access: Access) throws(FileError) -> Int32
  func close(_ file: Int32)
  func read(_ file: Int32, at offset: Int, into: UnsafeMutableRawBufferPointer) throws(FileError)
    -> Int
  func write(_ file: Int32, at offset: Int, _ bytes: UnsafeRawBufferPointer) throws(FileError)
    -> Int

  /// Returns when all that was written to a file, or the names in a directory, are on the disk.
  func sync(_ file: Int32) throws(FileError)
  func truncate(_ file: Int32, to size: Int) throws(FileError)
  func rename(_ path: String, to new: String) throws(FileError)
  func remove(_ path: String) throws(FileError)
  func makeDirectory(_ path: String) throws(FileError)
  func list(_ directory: String) throws(FileError) -> [String]

  /// - Returns: whether nobody else holds the lock.
  func lock(_ file: Int32) throws(FileError) -> Bool
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

/// A call that failed, as the system says.
struct FileError: Error, CustomStringConvertible {
  let call: String
  let path: String
  let code: Int32

  var description: String { "\(call) \(path): \(systemMessage(code))" }
}

extension FileSystem {
  /// Repeats a call that was interrupted by a signal.
  func uninterrupted<Result>(
    _ call: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    while true {
      do throws(FileError) { return try call() } catch {
        if error.code != interruptedCode { throw error }
      }
    }
  }

  /// The bytes of a file.
  func readAll(_ path: String) throws(FileError) -> [UInt8] {
    let file = try uninterrupted { () throws(FileError) in try open(path, .reading) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = try uninterrupted { () throws(FileError) in
        try read(file, at: bytes.count, into: &buffer)
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  private func read(
    _ file: Int32, at offset: Int, into buffer: inout [UInt8]
  ) throws(FileError) -> Int {
    try withBytes(of: &buffer) { bytes throws(FileError) in
      try read(file, at: offset, into: bytes)
    }
  }

  /// Writes all bytes, in as many calls as that takes.
  func writeAll(_ bytes: [UInt8], to file: Int32, at offset: Int) throws(FileError) {
    var done = 0
    while done < bytes.count {
      do throws(FileError) {
        done += try withBytes(of: bytes) { all throws(FileError) in
          try write(file, at: offset + done, UnsafeRawBufferPointer(rebasing: all[done...]))
        }
      } catch {
        if error.code != interruptedCode { throw error }
      }
    }
  }

  func syncAll(_ file: Int32) throws(FileError) {
    try uninterrupted { () throws(FileError) in try sync(file) }
  }

  /// Makes a file durable whose name is new, has changed, or is gone.
  func syncNames(in directory: String) throws(FileError) {
    let file = try uninterrupted { () throws(FileError) in try open(directory, .directory) }
    defer { close(file) }
    try syncAll(file)
  }
}

/// `withUnsafeBytes`, with the error's type.
private func withBytes<Result>(
  of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(FileError) -> Result
) throws(FileError) -> Result {
  let result = bytes.withUnsafeBytes { all in
    Swift.Result { () throws(FileError) in try body(all) }
  }
  return try result.get()
}

private func withBytes<Result>(
  of bytes: inout [UInt8], _ body: (UnsafeMutableRawBufferPointer) throws(FileError) -> Result
) throws(FileError) -> Result {
  let result = bytes.withUnsafeMutableBytes { all in
    Swift.Result { () throws(FileError) in try body(all) }
  }
  return try result.get()
}
