import Foundation
import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal

@Suite("J1: recovery gives a prefix, including all durable commits")
struct J1PrefixTests {
  @Test("a store continues where it was, with the next commit number")
  func goesOn() throws {
    let files = MemoryFiles()
    for session in 0..<4 {
      let journal = try Journal(in: files, tallyFormat)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      #expect(store.state == .after(session * 10))
      for value in 1...10 { store.dispatch(TallyIntent.add(session * 10 + value)) }
    }
    #expect(try recovered(files) == .after(40))
  }
}

extension J1PrefixTests {
  @Test(
    "the journal records dispatches of a middleware's thread while the store is made",
    .tags(.threads))
  func threadOfAMiddleware() throws {
    for _ in 0..<200 {
      let files = MemoryFiles()
      let isDone = DispatchSemaphore(value: 0)
      let eager: Middleware<Tally> = { dispatch, _ in
        for _ in 0..<4 {
          Thread.detachNewThread {
            dispatch(TallyIntent.add(1))
            isDone.signal()
          }
        }
        return { $0 }
      }
      let journal = try Journal(in: files, tallyFormat, .written)
      let store = try Store(
        state: Tally(), reducer: tally, middleware: [eager], journal: journal)
      for _ in 0..<4 { isDone.wait() }
      #expect(store.state.count == 4)
      let commits = files.all.values.flatMap { lines(of: $0) }.compactMap {
        $0.members?["commit"]?.integer
      }
      #expect(commits == Array(1...4))
    }
  }

  /// The remains of a crash.
  private struct Crash {
    let files: MemoryFiles
    let told: Int
    let reduced: Int
  }

  /// Dispatches in two sessions, with small logs; at each file operation of a journal, on any
  /// thread, `crash` may take the files that a crash would leave.
  private func crashes(
    _ durability: Durability, _ crash: @escaping @Sendable (MemoryFiles) -> MemoryFiles?
  ) throws -> [Crash] {
    let files = MemoryFiles()
    let told = Shared(0)
    let reduced = Shared(0)
    let crashes = Shared<[Crash]>([])
    files.watch { _, _ in
      // Other threads continue meanwhile: the deliveries are read before, the reduced commits after.
      let told = told.value
      guard let left = crash(files) else { return nil }
      crashes.change { $0.append(Crash(files: left, told: told, reduced: reduced.value)) }
      return nil
    }
    for session in 0..<2 {
      let journal = try Journal(in: files, tallyFormat, durability, smallestLog: 1500)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      let subscription = store.subscribe(selector: \.count) { count in
        told.change { $0 = max($0, count) }
      }
      for value in 1...25 {
        reduced.change { $0 += 1 }
        store.dispatch(TallyIntent.add(session * 25 + value))
      }
      subscription.cancel()
    }
    files.watch(nil)
    return crashes.value
  }

  private func expectPrefixes(_ crashes: [Crash]) throws {
    #expect(crashes.count > 10)
    for crash in crashes {
      let state = try recovered(crash.files)
      #expect(state == .after(state.count))
      #expect(crash.told...crash.reduced ~= state.count)
    }
  }

  @Test("a power failure at any moment loses no commit that the store notified", arguments: 0..<40)
  func powerFailures(seed: Int) throws {
    let random = Shared(Xorshift(seed: UInt64(seed)))
    let crashes = try crashes(.synced) { files in
      var left: MemoryFiles?
      random.change { random in
        if Int.random(in: 0..<8, using: &random) == 0 { left = files.afterPowerFailure(&random) }
      }
      return left
    }
    try expectPrefixes(crashes)
  }

  @Test(
    "a power failure leaves a prefix of the commits that were only written, also after a kill",
    arguments: 0..<60)
  func writtenPowerFailures(seed: Int) throws {
    let random = Shared(Xorshift(seed: UInt64(seed)))
    let crashes = try crashes(.written) { files in
      var left: MemoryFiles?
      random.change { random in
        if Int.random(in: 0..<8, using: &random) > 0 { return }
        left = files.afterPowerFailure(&random)
        if !Bool.random(using: &random) { return }
        // The process that was killed is followed by another, of which the next failure ends all.
        let killed = files.afterKill()
        guard let next = try? Journal(in: killed, tallyFormat, .written) else { return }
        left = withExtendedLifetime(next) { killed.afterPowerFailure(&random) }
      }
      return left
    }
    for crash in crashes {
      let state = try recovered(crash.files)
      #expect(state == .after(state.count) && state.count <= crash.reduced)
    }
    #expect(Set(try crashes.map { try recovered($0.files).count }).count > 3)
  }

  @Test("what an opening continues with survives a power failure, in each log", arguments: 0..<40)
  func openedAfterKill(seed: Int) throws {
    var random = Xorshift(seed: UInt64(seed))
    let files = MemoryFiles()
    let begun = DispatchSemaphore(value: 0)
    let isHeld = Shared(false)
    // The background's sync of the first log waits, so that the second one is written meanwhile.
    files.watch { call, path in
      if call == "sync", path.hasSuffix(".log"), isHeld.value { begun.wait() }
      return nil
    }
    let journal = try Journal(in: files, tallyFormat, .written, smallestLog: 1500)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    isHeld.change { $0 = true }
    for value in 1...25 { store.dispatch(TallyIntent.add(value)) }
    let killed = files.afterKill()
    #expect(killed.all.keys.count { $0.hasSuffix(".log") } == 2)
    isHeld.change { $0 = false }
    for _ in 0..<10 { begun.signal() }
    withExtendedLifetime(store) { files.watch(nil) }
    let next = try Journal(in: killed, tallyFormat, .written)
    let left = withExtendedLifetime(next) { killed.afterPowerFailure(&random) }
    #expect(try recovered(left) == .after(25))
  }

  @Test(
    "the end of the process at any moment loses no commit that the store notified", .tags(.threads),
    arguments: [Durability.written, .interval(.milliseconds(1))])
  func kills(durability: Durability) throws {
    try expectPrefixes(crashes(durability) { $0.afterKill() })
  }
}
