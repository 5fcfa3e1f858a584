import Dispatch
import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal
@testable import GlueSimulation

@Suite(
  "J2, J3, J4: notified commits are durable, reducing writes nothing, and many share a write",
  .tags(.threads),
  .unwatched)
struct J3AheadOfTheWorldTests {
  private struct Ring: Effect {}

  /// The calls that change files, and the deliveries, in order.
  func watched(_ files: MemoryFiles) -> Lines {
    let lines = Lines()
    files.watch { call, _ in
      if ["write", "sync"].contains(call) { lines.append(call) }
      return nil
    }
    return lines
  }

  private final class Telling: Monitor {
    let lines: Lines
    init(_ lines: Lines) { self.lines = lines }
    func observe(_ commit: Commit<Tally>) { lines.append("monitor \(commit.number)") }
  }

  @Test("the store notifies monitors, subscribers and handlers after the record is on the disk")
  func order() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    let lines = watched(files)
    let store = try Store(
      state: Tally(),
      reducer: { (state: inout Tally, intent: TallyIntent) in
        _ = tally(state: &state, intent: intent)
        return [Ring()]
      }, monitors: [Telling(lines)], journal: journal)
    let begun = lines.all.count
    store.on(Ring.self) { (_: Ring, _: @escaping DispatchFunc) -> Void in lines.append("effect") }
    let subscription = store.subscribe(selector: \.count) { lines.append("count \($0)") }
    store.dispatch(TallyIntent.add(1))
    subscription.cancel()
    #expect(
      Array(lines.all[begun...]) == ["count 0", "write", "sync", "monitor 1", "count 1", "effect"])
  }

  @Test("commits queued before a delivery share one write and one sync")
  func groupCommit() throws {
    let files = MemoryFiles()
    let bodies = Shared<[@Sendable () -> Void]>([])
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(
      state: Tally(), reducer: tally,
      delivery: .custom { body in bodies.change { $0.append(body) } },
      journal: journal)
    let lines = watched(files)
    for value in 1...1000 { store.dispatch(TallyIntent.add(value)) }
    #expect(store.state.count == 1000)
    #expect(lines.all == [])
    bodies.value[0]()
    #expect(lines.all == ["write", "sync"])
  }

  @Test("a write holds at most 1,000 commits, and 256 KiB and one more commit")
  func limits() throws {
    let files = MemoryFiles()
    let bodies = Shared<[@Sendable () -> Void]>([])
    let journal = try Journal(in: files, tallyFormat, .written)
    let store = try Store(
      state: Tally(), reducer: tally,
      delivery: .custom { body in bodies.change { $0.append(body) } },
      journal: journal)
    let lines = watched(files)
    let subscription = store.subscribe { lines.append("count \($0.count)") }
    for value in 1...1001 { store.dispatch(TallyIntent.add(value)) }
    store.dispatch(TallyIntent.note(String(repeating: "x", count: 200_000)))
    store.dispatch(TallyIntent.note(String(repeating: "y", count: 200_000)))
    store.dispatch(TallyIntent.note("z"))
    bodies.value[0]()
    subscription.cancel()
    let writes = lines.all.indices.filter { lines.all[$0] == "write" }
    #expect(writes == [1, 1002, 1006])
    #expect(
      lines.all[1001...] == [
        "count 1000", "write", "count 1001", "count 1001", "count 1001", "write", "count 1001",
      ])
  }

  @Test("written and interval notify before a sync, and synced() waits for one")
  func modes() async throws {
    for durability in [Durability.written, .interval(.seconds(1000))] {
      let files = MemoryFiles()
      let journal = try Journal(in: files, tallyFormat, durability)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      let lines = watched(files)
      for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
      #expect(lines.all == ["write", "write", "write"])
      try await journal.synced()
      #expect(lines.all == ["write", "write", "write", "sync"])
      try await journal.synced()
      #expect(lines.all.count == 4)
    }
  }

  @Test("with an interval a sync comes on its own, again and again")
  func interval() async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .interval(.milliseconds(1)))
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in 1...3 {
      await withCheckedContinuation { continuation in
        let waiting = Locked<CheckedContinuation<Void, Never>?>(continuation)
        files.watch { call, _ in
          if call == "sync" { waiting.withLock { $0.take() }?.resume() }
          return nil
        }
        store.dispatch(TallyIntent.add(value))
      }
    }
  }

  @Test("all that is written during an interval has one sync to come")
  func oneSync() throws {
    let files = LateFiles()
    let journal = try Journal(in: files, tallyFormat, .interval(.seconds(1)))
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
    #expect(files.lateCount.value == 1)
  }

  @Test("writing continues during an interval's sync")
  func intervalSyncsUnlocked() async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .interval(.milliseconds(1)))
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    let isWriting = DispatchSemaphore(value: 0)
    await withCheckedContinuation { continuation in
      let waiting = Locked<CheckedContinuation<Void, Never>?>(continuation)
      files.watch { call, _ in
        if call == "write" && store.state.count == 2 { isWriting.signal() }
        guard call == "sync", let waiting = waiting.withLock({ $0.take() }) else { return nil }
        DispatchQueue.global().async { store.dispatch(TallyIntent.add(2)) }
        isWriting.wait()
        waiting.resume()
        return nil
      }
      store.dispatch(TallyIntent.add(1))
    }
    await store.delivered()
    #expect(store.state.count == 2)
  }

  @Test("commits that a killed process only wrote are rewritten and synced before notifying")
  func recoveredIsDurable() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .written)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
    let killed = files.afterKill()
    let lines = watched(killed)
    let second = try Journal(in: killed, tallyFormat)
    #expect(lines.all == ["write", "write", "sync", "sync"])
    withExtendedLifetime((store, second)) {}
  }

  @Test("a dropped body loses its deliveries, and none of its commits")
  func droppedBody() throws {
    let files = MemoryFiles()
    let told = Lines()
    do {
      let journal = try Journal(in: files, tallyFormat, keeping: 9)
      let store = try Store(
        state: Tally(), reducer: tally, delivery: .custom { _ in }, journal: journal)
      let subscription = store.subscribe(selector: \.count) { told.append("\($0)") }
      for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
      subscription.cancel()
    }
    #expect(told.all == [])
    let steps = try Recording(at: "/j", files, tallyFormat).steps(reducer: erased(tally))
    #expect(steps.map(\.commit.number) == [1, 2, 3])
    #expect(try recovered(files) == .after(3))
  }
}

/// Files whose queues never run a body later, and count such bodies.
///
/// `@unchecked Sendable` is sound because it adds a constant.
private final class LateFiles: MemoryFiles, @unchecked Sendable {
  private struct Queue: WorkQueue {
    let queue: any WorkQueue
    let lateCount: Shared<Int>

    func run(_ body: @escaping @Sendable () -> Void) { queue.run(body) }
    func run(after time: Duration, _ body: @escaping @Sendable () -> Void) {
      lateCount.change { $0 += 1 }
    }
    func wait() { queue.wait() }
  }

  let lateCount = Shared(0)

  override func makeQueue(_ label: String, isUrgent: Bool) -> any WorkQueue {
    Queue(queue: super.makeQueue(label, isUrgent: isUrgent), lateCount: lateCount)
  }
}
