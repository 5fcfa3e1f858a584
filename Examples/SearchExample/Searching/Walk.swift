import Dispatch
import Foundation
import Synchronization

/// A walk through all files below a directory, except links, devices, and entries named `.git`.
final class Walk: Sendable {
  private let root: Path
  private let known = Atomic(0)
  private let canceled = Atomic(false)

  init(from root: Path) {
    self.root = root
  }

  /// How many files are listed until now.
  var filesKnown: Int { known.load(ordering: .relaxed) }

  var isCancelled: Bool { canceled.load(ordering: .relaxed) }

  /// Makes ``run(visit:failed:)`` return soon; any thread may call it at any time.
  func cancel() {
    canceled.store(true, ordering: .relaxed)
  }

  /// Calls `visit` with each file, on all processors and while more are being listed.
  ///
  /// It calls `failed` with each error, and returns when it has finished or is canceled.
  func run(
    visit: @escaping @Sendable (Path) throws(SystemError) -> Void,
    failed: @escaping @Sendable (Path, SystemError) -> Void
  ) {
    let visits = DispatchQueue(label: "visits", attributes: .concurrent)
    let room = DispatchSemaphore(value: 10_000)  // Bounds the memory.
    var directories = [root]
    while let directory = directories.popLast(), !isCancelled {
      var files: [Path] = []
      do throws(SystemError) {
        try forEachEntry(of: directory) { entry, type in
          if type == DT_REG { files.append(entry) }
          if type == DT_DIR { directories.append(entry) }
        }
      } catch {
        failed(directory, error)
      }
      known.add(files.count, ordering: .relaxed)
      for start in stride(from: 0, to: files.count, by: 16) {
        room.wait()
        visits.async { [self, files = files.dropFirst(start).prefix(16)] in
          for file in files where !isCancelled {
            do throws(SystemError) { try visit(file) } catch { failed(file, error) }
          }
          room.signal()
        }
      }
    }
    visits.sync(flags: .barrier) {}
  }
}

/// Calls the body with the path of each entry of a directory, and its type: `DT_REG` and so on.
private func forEachEntry(of directory: Path, _ body: (Path, Int) -> Void) throws(SystemError) {
  guard let stream = directory.withCString(opendir) else { throw SystemError("read") }
  defer { closedir(stream) }
  while true {
    errno = 0
    guard let entry = readdir(stream) else { break }
    let start = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
    let count = strlen(start.assumingMemoryBound(to: CChar.self))
    let name = UnsafeRawBufferPointer(start: start, count: count)
    if skippedNames.contains(where: { $0.elementsEqual(name) }) { continue }
    let path = directory.appending(name)
    body(path, type(of: entry, path))
  }
  if errno != 0 { throw SystemError("read") }
}

private let skippedNames = [".", "..", ".git"].map { Array($0.utf8) }

/// Asks for the file's status on file systems whose directories don't store types.
private func type(of entry: UnsafeMutablePointer<dirent>, _ path: Path) -> Int {
  let type = Int(entry.pointee.d_type)
  var status = stat()
  if type != DT_UNKNOWN || path.withCString({ lstat($0, &status) }) != 0 { return type }
  return Int(status.st_mode & S_IFMT) >> 12
}
