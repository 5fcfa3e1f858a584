import Foundation
import TerminalSupport

/// What there is in a directory, but for links, devices, and what is called `.git`.
struct Directory {
  private(set) var files: [Path] = []
  private(set) var directories: [Path] = []

  /// What kept it from being read to its end.
  private(set) var failure: SystemError?

  init(at path: Path) {
    guard let stream = path.withCString(opendir) else {
      failure = SystemError("read")
      return
    }
    defer { closedir(stream) }
    errno = 0
    while let entry = readdir(stream) {
      add(entry, of: path)
      errno = 0
    }
    if errno != 0 { failure = SystemError("read") }
  }

  private mutating func add(_ entry: UnsafeMutablePointer<dirent>, of directory: Path) {
    let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
    let bytes = UnsafeRawBufferPointer(
      start: name, count: strlen(name.assumingMemoryBound(to: CChar.self)))
    if skippedNames.contains(where: { $0.elementsEqual(bytes) }) { return }
    let path = directory.appending(bytes)
    switch Int(entry.pointee.d_type) {
    case Int(DT_REG): files.append(path)
    case Int(DT_DIR): directories.append(path)
    case Int(DT_UNKNOWN): addByStatus(path)
    default: break
    }
  }

  /// Adds a path on one of the file systems whose directories do not say what is what.
  private mutating func addByStatus(_ path: Path) {
    var status = stat()
    if path.withCString({ lstat($0, &status) }) != 0 { return }
    switch status.st_mode & S_IFMT {
    case S_IFREG: files.append(path)
    case S_IFDIR: directories.append(path)
    default: break
    }
  }
}

private let skippedNames = [".", "..", ".git"].map { Array($0.utf8) }
