/// The reason why a journal was not opened or read.
///
/// No recorded commit has changed.
public struct JournalError: Error, CustomStringConvertible, Sendable {
  /// The file, or the directory.
  public let path: String

  /// The offset in the file, in bytes; nil where that does not matter.
  public let offset: Int?

  /// The number of the record; nil where that does not matter.
  public let record: Int?

  /// The error, and what was expected.
  public let reason: String

  let code: Int32
  let cure: String

  init(
    _ path: String, at offset: Int? = nil, record: Int? = nil, _ reason: String, code: Int32 = 0,
    cure: String = "Repair the disk, or free space on it"
  ) {
    self.path = path
    self.offset = offset
    self.record = record
    self.reason = reason
    self.code = code
    self.cure = cure
  }

  /// One line: the place and the error.
  public var description: String {
    path + (offset.map { ", byte \($0)" } ?? "") + (record.map { ", record \($0)" } ?? "")
      + ": " + reason
  }
}

/// The reason why a journal can write no more.
///
/// The program stops then (J6).
public struct JournalFailure: Error, CustomStringConvertible, Sendable {
  /// The file, or the directory.
  public let path: String

  /// The operation that failed, and its error.
  public let reason: String

  let cure: String

  /// Whether a file is the reason, and not the program.
  let isOfFile: Bool

  /// The last commit that is known to be on the disk.
  public let lastDurableCommit: Int

  /// One line.
  public var description: String {
    "\(path): \(reason); the last commit known to be on the disk is \(lastDurableCommit)"
  }
}
