/// Why a journal was not opened or read; nothing was changed then.
public struct JournalError: Error, CustomStringConvertible, Sendable {
  /// The file, or the directory.
  public let path: String

  /// Where in the file, in bytes; nil where that does not matter.
  public let offset: Int?

  /// The number of the record; nil where that does not matter.
  public let record: Int?

  /// What is wrong, and what was expected.
  public let reason: String

  /// The system's number of the error, if a call of its failed.
  let code: Int32

  /// What helps, if a write has failed so.
  let cure: String

  init(
    _ path: String, at offset: Int? = nil, record: Int? = nil, _ reason: String, code: Int32 = 0,
    cure: String = "Mend the disk"
  ) {
    self.path = path
    self.offset = offset
    self.record = record
    self.reason = reason
    self.code = code
    self.cure = cure
  }

  /// One line: the place, and what is wrong there.
  public var description: String {
    path + (offset.map { ", byte \($0)" } ?? "") + (record.map { ", record \($0)" } ?? "")
      + ": " + reason
  }
}

/// Why a journal can write no more; the program stops then (J6).
public struct JournalFailure: Error, CustomStringConvertible, Sendable {
  /// The file, or the directory.
  public let path: String

  /// What failed.
  public let reason: String

  /// What helps.
  let cure: String

  /// The last commit that is known to be on the disk.
  public let lastDurableCommit: Int

  /// One line.
  public var description: String {
    "\(path): \(reason); the last commit that is known to be on the disk is \(lastDurableCommit)"
  }
}
