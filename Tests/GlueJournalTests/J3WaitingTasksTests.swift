import Foundation
import Glue
import GlueTesting
import Testing

@testable import GlueJournal

extension J3AheadOfTheWorldTests {
  enum Wait: CaseIterable { case synced, close, shutdown }

  /// More tasks than there are threads for them wait while a sync is under way: where each kept its
  /// thread, not all of them would begin to wait.
  @Test(
    "tasks that wait for the disk leave their threads to others", .timeLimit(.minutes(1)),
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
