import Dispatch
import Synchronization

/// What a scan has still to do, shared by the threads that do it.
final class WorkList: Sendable {
  enum Item { case directory(Path), file(Path) }

  private let contents: Mutex<WorkListContents>
  private let wakeUp = DispatchSemaphore(value: 0)

  init(root: Path) {
    contents = Mutex(WorkListContents(directories: [root]))
  }

  /// How many files there were to search until now.
  var filesKnown: Int { contents.withLock { $0.filesKnown } }

  /// Waits for something to do; nil if there will be nothing more.
  ///
  /// When it is done, ``done(_:)`` has to follow.
  func next() -> Item? {
    while true {
      let (item, isOver) = contents.withLock { $0.take() }
      if item != nil || isOver { return item }
      wakeUp.wait()
    }
  }

  /// Ends the work on an item, and adds what it has brought to light.
  func done(_ found: Directory? = nil) {
    wake(contents.withLock { $0.finish(found) })
  }

  /// Gives up what nobody has begun.
  func cancel() {
    wake(contents.withLock { $0.cancel() })
  }

  private func wake(_ count: Int) {
    for _ in 0..<count { wakeUp.signal() }
  }
}
