import Foundation

/// What a scan has still to do, shared by the threads that do it.
///
/// Sound because what varies is used with the lock of the condition held alone.
final class WorkList: @unchecked Sendable {
  enum Item { case directory(Path), file(Path) }

  /// How many files may wait before their directories do.
  private static let enough = 100_000

  private let change = NSCondition()
  private var directories: [Path]
  private var files: [Path] = []
  private var found = 0
  private var workers = 0
  private var isCancelled = false

  init(root: Path) {
    directories = [root]
  }

  /// How many files there were to search until now.
  var filesKnown: Int { change.withLock { found } }

  /// Waits for something to do; nil if there will be nothing more.
  ///
  /// When it is done, ``done(_:)`` has to follow.
  func next() -> Item? {
    change.withLock {
      while !isCancelled {
        if let item = take() {
          workers += 1
          return item
        }
        if workers == 0 { return nil }
        change.wait()
      }
      return nil
    }
  }

  /// Ends the work on an item, and adds what it has brought to light.
  func done(_ directory: Directory? = nil) {
    change.withLock {
      workers -= 1
      files += directory?.files ?? []
      found += directory?.files.count ?? 0
      directories += directory?.directories ?? []
      if directory != nil || workers == 0 { change.broadcast() }
    }
  }

  /// Gives up what nobody has begun.
  func cancel() {
    change.withLock {
      isCancelled = true
      change.broadcast()
    }
  }

  /// Takes a directory if there is one, so that the number of files is soon known.
  ///
  /// If many files wait already, it takes one of them.
  private func take() -> Item? {
    if files.count < WorkList.enough, let path = directories.popLast() { return .directory(path) }
    return files.popLast().map { .file($0) }
  }
}
