/// A new file that consists of one line, which is written in pieces.
///
/// So a state of any size takes little memory while it is written. The file has a temporary name
/// until it is placed. Only one thread uses it.
final class LineFile {
  /// How many bytes a piece has at least, and after how many the file is synced.
  ///
  /// Syncing now and then keeps syncs of the log short, which may have to wait for this file's
  /// bytes.
  static let pieceSize = 1 << 18
  private static let syncInterval = 1 << 23

  private let file: File
  private let directory: Directory
  private let name: String
  private var sum: UInt32 = 0
  private(set) var size = lineHeadSize
  private var syncedSize = 0
  private var isPlaced = false

  /// Makes a file that will have a name.
  init(in directory: Directory, for name: String) throws {
    (self.directory, self.name) = (directory, name)
    file = try directory.open(directory.files.temporaryName(for: name), .adding)
  }

  deinit {
    if !isPlaced { try? directory.remove(file) }
  }

  func add(_ piece: ArraySlice<UInt8>) throws {
    try file.write(piece, at: size)
    sum = checksum(piece, behind: sum)
    size += piece.count
    if size - syncedSize < Self.syncInterval { return }
    try file.sync()
    syncedSize = size
  }

  /// A place in the file, to go back to.
  struct Mark {
    fileprivate let size: Int
    fileprivate let sum: UInt32
  }

  var mark: Mark { Mark(size: size, sum: sum) }

  func goBack(to mark: Mark) throws {
    if size == mark.size { return }
    try file.truncate(to: mark.size)
    (size, sum, syncedSize) = (mark.size, mark.sum, min(syncedSize, mark.size))
  }

  /// Ends the line, syncs the file, and reads it back.
  func end() throws {
    let head = lineHead(of: sum)
    try add([newline])
    try file.write(head[...], at: 0)
    try file.sync()
    var found: (head: [UInt8], sum: UInt32, size: Int) = ([], 0, 0)
    try file.forEachPiece { piece in
      let rest = piece.dropFirst(lineHeadSize - found.head.count)
      found.head += piece[..<rest.startIndex]
      found.sum = checksum(rest, behind: found.sum)
      found.size += piece.count
    }
    if found != (head, sum, size) {
      throw JournalError(file.path, "the file does not read back as it was written")
    }
  }

  /// The file's bytes.
  func bytes() throws -> [UInt8] { try file.bytes() }

  /// Gives the file its name, in place of another one that has it.
  func place() throws {
    try directory.rename(file, to: name)
    isPlaced = true
    try directory.syncNames()
  }
}
