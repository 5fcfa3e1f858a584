import Foundation
import Glue
import GlueTesting
import Testing

@testable import GlueJournal
@testable import GlueSimulation

/// Files on whose clock time passes only while they sync, and while a thread yields.
///
/// `@unchecked Sendable` is sound because it adds constants.
private final class SlowFiles: MemoryFiles, @unchecked Sendable {
  private let time = Shared(Duration.zero)
  private let yielding = Shared<@Sendable () -> Void>({})

  func onYield(_ body: @escaping @Sendable () -> Void) { yielding.change { $0 = body } }

  override var uptime: Duration { time.value }
  override func sync(_ file: Int32) throws {
    try super.sync(file)
    time.change { $0 += .microseconds(100) }
  }
  override func yieldThread() {
    yielding.value()
    time.change { $0 += .microseconds(1) }
  }
}

extension J3AheadOfTheWorldTests {
  enum Wait: CaseIterable { case synced, close, shutdown }

  /// More tasks than there are threads for them wait while a sync is under way: where each kept its
  /// thread, not all of them would begin to wait.
  @Test(
    "tasks that wait for the disk leave their threads to others",
    arguments: Wait.allCases, [Durability.written, .interval(.seconds(1000))])
  func waitingTasks(for wait: Wait, durability: Durability) async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, durability)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    store.dispatch(TallyIntent.add(1))
    let gate = DispatchSemaphore(value: 0)
    files.watch { call, _ in
      if call == "sync" {
        gate.wait()
        gate.signal()
      }
      return nil
    }
    let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
    let tasks = (0..<count).map { _ in
      Task.detached {
        continuation.yield()
        switch wait {
        case .synced: try await journal.synced()
        case .close: try await journal.close()
        case .shutdown: await store.shutdown()
        }
      }
    }
    var iterator = begun.makeAsyncIterator()
    for _ in 0..<count { await iterator.next() }
    gate.signal()
    for task in tasks { try await task.value }
    files.watch(nil)
    var random = Xorshift(seed: 1)
    #expect(try recovered(files.afterPowerFailure(&random)) == .after(1))
  }
}

extension J3AheadOfTheWorldTests {
  private var commit: Item {
    .commit(RecordedCommit(number: 1, time: 0, cause: .outside, intent: TallyIntent.add(1)))
  }

  @Test("a write waits for as many commits as the last sync had, and not for long")
  func group() {
    var queue = Queue(.usual)
    func write(_ count: Int, in time: Duration) {
      queue.append(.over([]))
      for _ in 1..<count { queue.append(commit) }
      _ = (queue.beginTurn(), queue.take())
      queue.remove(count, after: time)
      for _ in 1..<count {
        #expect(queue.pause == .zero)
        #expect(queue.beginTurn() <= queue.writtenRecords)
      }
    }
    #expect(queue.pause == .zero)
    write(4, in: .microseconds(100))
    for _ in 0..<3 {
      #expect(queue.pause == .microseconds(50))
      queue.append(commit)
    }
    #expect(queue.pause == .zero)
  }

  @Test("a commit that comes while a write waits for others shares its sync")
  func nextGroup() throws {
    let (files, loop) = (SlowFiles(), Bodies())
    let store = try Store(
      state: Tally(), reducer: tally, delivery: loop.delivery,
      journal: Journal(in: files, tallyFormat))
    let lines = watched(files)
    for value in 1...2 { store.dispatch(TallyIntent.add(value)) }
    loop.run()
    store.dispatch(TallyIntent.add(3))
    files.onYield { if store.state.count == 3 { store.dispatch(TallyIntent.add(4)) } }
    loop.run()
    files.onYield {}
    #expect(store.state == .after(4))
    #expect(lines.all == ["write", "sync", "write", "sync"])
  }

  @Test("a write waits at most 200 µs after a slow sync, and not at all without one")
  func groupAfterSlowSync() {
    for (time, pause) in [(Duration.seconds(2), 200), (.zero, 0)] {
      var queue = Queue(.usual)
      for _ in 0..<2 {
        queue.append(commit)
        _ = queue.beginTurn()
      }
      #expect(queue.take().count == 2)
      queue.remove(2, after: time)
      #expect(queue.take().isEmpty)
      queue.append(commit)
      #expect(queue.pause == .microseconds(pause))
    }
  }
}
