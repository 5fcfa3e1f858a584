/// The file that is being written.
///
/// `@unchecked Sendable` is sound because its size is used under the journal's lock alone.
final class LogFile: @unchecked Sendable {
  let name: String

  /// The commit that it begins after, and the number of its first record.
  let commit: Int
  let firstRecord: Int
  let file: Int32
  var size: Int
  private let files: any FileSystem

  /// Opens a file in which there is something already.
  init(
    in directory: Directory, after commit: Int, goingOn firstRecord: Int, at size: Int,
    _ access: Access = .updating
  ) throws(FileError) {
    name = directory.logName(commit)
    self.commit = commit
    self.firstRecord = firstRecord
    self.size = size
    files = directory.files
    let path = directory.path(of: name)
    file = try files.uninterrupted { [files] () throws(FileError) in try files.open(path, access) }
  }

  /// Makes a file, whose first line is on the disk then, as is its name.
  convenience init(
    in directory: Directory, after commit: Int, beginningWith record: Int, version: Int
  ) throws(FileError) {
    try self.init(in: directory, after: commit, goingOn: record, at: 0, .making)
    var buffer = LineBuffer()
    buffer.log(record, after: commit, version: version, at: microsecondsNow())
    try files.writeAll(buffer.bytes, to: file, at: 0)
    size = buffer.bytes.count
    try files.syncAll(file)
    try files.syncNames(in: directory.path)
  }

  deinit { files.close(file) }
}
