internal import Dispatch
import Glue

// What is done when the place in the outbox has come of what is to be written.

extension JournalCore {
  /// Writes what is next in the outbox, as much as one write may hold.
  ///
  /// - Returns: how many of the items that was.
  func write(_ items: [any Written], before rest: () -> [any Written]) -> Int {
    if case .state(let state, let commit, let isEnd) = (items.first as? Item)?.content {
      isEnd ? end(with: state, after: commit) : snapshot(state, after: commit)
      return 1
    }
    digestLast(of: items)
    var waiting: [WaitForSync] = []
    var reports: [(subject: String, text: String)] = []
    var released: [KeptEffect?] = []
    let written = use { writer -> (count: Int, store: (any RecordedStore)?) in
      let count = try add(items, rest, to: writer, &waiting)
      reports = writer.takeReports()
      swap(&released, &writer.released)
      arm(writer)
      if !writer.isStateOld(options.smallestLog) { return (count, nil) }
      writer.isSnapshotting = true
      return (count, writer.store)
    }
    for (subject, text) in reports { report(subject, text) }
    for wait in waiting { wait.end(isSynced: true) }
    written?.store?.queue { state, commit in
      Item(.state(state, after: commit, isEnd: false), in: self)
    }
    return written?.count ?? items.count
  }

  private func add(
    _ items: [any Written], _ rest: () -> [any Written], to writer: Writer,
    _ waiting: inout [WaitForSync]
  ) throws -> Int {
    var count = 0
    items: for item in items {
      switch (item as? Item)?.content {
      case .commit(let commit):
        try writer.add(commit) { $0.newest(behind: items[count...] + rest()) }
      case .over(let keys): try writer.add(over: keys)
      case .sync(let wait): waiting.append(wait)
      case .state, nil: break items
      }
      count += 1
      if writer.isFull { break items }
    }
    try writer.flush(syncing: !waiting.isEmpty)
    return count
  }

  /// Gives the last commit its digest, if one is due and nothing was reduced since.
  private func digestLast(of items: [any Written]) {
    let last = items.last { ($0 as? Item)?.commit != nil } as? Item
    guard let last, let commit = last.commit, commit.digest == nil, commit.state == nil,
      pace.isDue(at: microsecondsNow()), let newest, newest.commit == commit.number
    else { return }
    last.add(try? pace.digest(newest.state))
  }

  /// Sees to it that what was written is on the disk in a while, if that is how it is to be.
  private func arm(_ writer: Writer) {
    guard case .interval(let time) = options.durability, writer.isBehind, !writer.isArmed else {
      return
    }
    writer.isArmed = true
    let seconds = max(0, time / .seconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
      self?.syncWhatIsWritten()
    }
  }

  /// Syncs unlocked: others may write meanwhile.
  private func syncWhatIsWritten() {
    let written = use { writer in
      writer.isArmed = false
      return writer.written
    }
    guard let written else { return }
    let result = Result { try written.log?.sync() }
    use { writer in
      try result.get()
      writer.noteDurable(written)
    }
  }
}
