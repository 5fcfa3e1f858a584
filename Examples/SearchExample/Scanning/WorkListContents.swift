/// What the lock of a ``WorkList`` guards.
struct WorkListContents {
  private var directories: [Path]
  private var files: [Path] = []
  private(set) var filesKnown = 0
  private var workers = 0
  private var waiting = 0
  private var isCancelled = false

  init(directories: [Path]) {
    self.directories = directories
  }

  /// Takes a directory if there is one, so that the number of files is soon known, unless too many
  /// files wait already.
  mutating func take() -> (item: WorkList.Item?, isOver: Bool) {
    if isCancelled { return (nil, true) }
    workers += 1
    if files.count < 100_000, let path = directories.popLast() { return (.directory(path), false) }
    if let path = files.popLast() { return (.file(path), false) }
    workers -= 1
    if workers == 0 { return (nil, true) }
    waiting += 1
    return (nil, false)
  }

  /// - Returns: how many threads are to be woken.
  mutating func finish(_ found: Directory?) -> Int {
    workers -= 1
    files += found?.files ?? []
    filesKnown += found?.files.count ?? 0
    directories += found?.directories ?? []
    return woken(workers == 0 ? waiting : min(waiting, files.count + directories.count))
  }

  /// - Returns: how many threads are to be woken.
  mutating func cancel() -> Int {
    isCancelled = true
    return woken(waiting)
  }

  private mutating func woken(_ count: Int) -> Int {
    waiting -= count
    return count
  }
}
