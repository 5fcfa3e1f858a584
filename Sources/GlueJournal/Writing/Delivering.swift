internal import Dispatch
import Glue

// What is done when the place in the outbox has come of what is to be written.

extension JournalCore {
  /// Writes what is next in the outbox, as much as one write may hold.
  ///
  /// - Returns: how many of the items that was.
  func write(_ items: [any Written], before rest: () -> [any Written]) -> Int {
    if case .end(let state, let commit, let isLast) = (items.first as? Item)?.content {
      end(with: state, after: commit)
      if isLast { free() }
      return 1
    }
    digestLast(of: items)
    var waiting: [WaitForSync] = []
    var reports: [(subject: String, text: String)] = []
    var released: [KeptEffect?] = []
    let written = use { writer -> (count: Int, isLogFull: Bool) in
      let written = try add(items, rest, to: writer, &waiting)
      reports = writer.takeReports()
      swap(&released, &writer.released)
      pace.set(commitsPerLog: writer.commitsPerLog(options.smallestLog))
      arm(writer)
      return written
    }
    for (subject, text) in reports { report(subject, text) }
    if !waiting.isEmpty { syncs.async { [waiting] in self.sync(for: waiting) } }
    guard let (count, isLogFull) = written else { return items.count }
    if isLogFull, let last = items[count - 1] as? Item, let commit = last.commit,
      let state = last.state
    {
      snapshot(state, after: commit.number)
    }
    return count
  }

  private func add(
    _ items: [any Written], _ rest: () -> [any Written], to writer: Writer,
    _ waiting: inout [WaitForSync]
  ) throws -> (count: Int, isLogFull: Bool) {
    var count = 0
    var isLogFull = false
    items: for case let item as Item in items {
      switch item.content {
      case .commit(let commit):
        try writer.add(commit) { newest(behind: items[count...] + rest()) }
      case .over(let keys): try writer.add(over: keys)
      case .sync(let wait): waiting.append(wait)
      case .end: break items
      }
      count += 1
      isLogFull = item.state != nil && writer.isLogFull(options.smallestLog)
      if isLogFull || writer.isFull { break items }
    }
    try writer.flush(syncing: false)
    return (count, isLogFull)
  }

  /// Gives the last commit its digest, if one is due and nothing was reduced since.
  private func digestLast(of items: [any Written]) {
    guard digests.isDue(at: microsecondsNow()),
      let last = items.last(where: { ($0 as? Item)?.commit != nil }) as? Item,
      let commit = last.commit, commit.digest == nil, commit.state == nil,
      let newest, newest.commit == commit.number
    else { return }
    last.add(try? digests.make(of: newest.state))
  }

  /// Sees to it that what was written is on the disk in a while, if that is how it is to be.
  private func arm(_ writer: Writer) {
    guard case .interval(let time) = options.durability, writer.isBehind, !writer.isArmed else {
      return
    }
    writer.isArmed = true
    let seconds = max(0, time / .seconds(1))
    syncs.asyncAfter(deadline: .now() + seconds) { [weak self] in
      self?.use { $0.isArmed = false }
      self?.sync(for: [])
    }
  }

  /// Syncs what is written, unlocked, for those who wait for it: others may write meanwhile.
  private func sync(for waiting: [WaitForSync]) {
    if let written = use({ $0.isBehind ? $0.written : nil }) ?? nil {
      let result = Result { try written.log?.sync() }
      use { writer in
        try result.get()
        writer.noteDurable(written)
      }
    }
    for wait in waiting { wait.end(isSynced: true) }
  }
}
