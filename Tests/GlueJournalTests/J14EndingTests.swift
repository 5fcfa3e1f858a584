import Dispatch
import Foundation
import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal

extension DispatchSemaphore {
  /// Waits, in asynchronous code too: for another thread, which needs no task.
  fileprivate func take() { wait() }
}

@Suite("J14: an end writes everything", .tags(.threads), .unwatched)
struct J14EndingTests {
  private func kinds(_ files: MemoryFiles) -> [String] {
    files.all.filter { $0.key.hasSuffix(".log") }.sorted { $0.key < $1.key }
      .flatMap { lines(of: $0.value) }
      .map { line in
        for kind in ["commit", "log", "closed"] where line.members?[kind] != nil {
          return "\(kind)"
        }
        return "?"
      }
  }

  @Test("a shutdown writes the state and a closing record, and later commits go behind it")
  func shutdown() async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .written)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    store.dispatch(TallyIntent.add(1))
    await store.shutdown()
    var random = Xorshift(seed: 1)
    #expect(try recovered(files.afterPowerFailure(&random)) == .after(1))
    store.dispatch(TallyIntent.add(2))
    #expect(kinds(files) == ["log", "commit", "log", "closed", "commit"])
    await store.shutdown(finishing: .zero, within: .seconds(1000))
    #expect(kinds(files).suffix(2) == ["log", "closed"])
    #expect(try recovered(files.afterPowerFailure(&random)) == .after(2))
  }

  @Test("a shutdown whose time passes returns the records that aren't written, and reports the end")
  func unwritten() async throws {
    let (files, reports) = (MemoryFiles(), Lines())
    let journal = try Journal(in: files, tallyFormat, .written, reports: reports)
    let bodies = Shared<[@Sendable () -> Void]>([])
    let store = try Store(
      state: Tally(), reducer: tally, delivery: .custom { body in bodies.change { $0 += [body] } },
      journal: journal)
    let mayWrite = DispatchSemaphore(value: 0)
    files.watch { call, _ in
      if call != "write" { return nil }
      mayWrite.wait()
      mayWrite.signal()
      return nil
    }
    for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
    for count in 1...2 {
      #expect(await store.shutdown(finishing: .zero, within: .zero) == [.records(3)])
      #expect(reports.all.count == count)
      #expect(reports.all.allSatisfy { $0.contains("before the state and the closing record") })
    }
    mayWrite.signal()
    #expect(await store.shutdown(finishing: .zero, within: .seconds(1000)) == [])
    #expect(kinds(files) == ["log", "commit", "commit", "commit", "log", "closed"])
  }

  @Test("a shutdown whose end is late returns what was added after all deliveries were made")
  func addedBehindTheEnd() async throws {
    let (files, clock) = (MemoryFiles(), TestClock())
    let (mayWrite, isReduced, isTold) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let reducer: Reducer<Tally> = { state, intent in
      defer { isReduced.signal() }
      return erased(tally)(&state, intent)
    }
    let store = try Store(
      state: Tally(), reducer: reducer, clock: clock,
      journal: Journal(in: files, tallyFormat, .written))
    store.dispatch(TallyIntent.add(1))
    isReduced.take()
    // The end's new log is held up, so the writer is locked when the next commit comes.
    files.watch { call, _ in
      if call != "open" { return nil }
      mayWrite.wait()
      mayWrite.signal()
      return nil
    }
    let left = Shared<[UnfinishedWork]?>(nil)
    let ending = Task(executorPreference: clock.executor) {
      let work = await store.shutdown(finishing: .zero, within: .seconds(5))
      left.change { $0 = work }
    }
    await clock.rest()
    Thread.detachNewThread {
      store.dispatch(TallyIntent.add(2))
      isTold.signal()
    }
    isReduced.take()
    await clock.advance(by: .seconds(5))
    await ending.value
    #expect(left.value == [.deliveries(pending: 0, isUnderWay: true), .records(1)])
    mayWrite.signal()
    isTold.take()
    #expect(await store.shutdown(finishing: .zero, within: .seconds(1000)) == [])
    #expect(try recovered(files.afterKill()) == .after(2))
  }

  @Test("closing a journal whose store is being made waits for the store")
  func closedWhileTheStoreBegins() async throws {
    let (files, lines) = (MemoryFiles(), Lines())
    let journal = try Journal(in: files, tallyFormat)
    let reducer: Reducer<Tally> = { state, intent in
      if state.count == 0 {
        Task(executorPreference: InlineExecutor()) {
          try await journal.synced()
          lines.append("synced")
        }
        Task(executorPreference: InlineExecutor()) {
          try await journal.close()
          lines.append("closed")
        }
      }
      return erased(tally)(&state, intent)
    }
    let store = try Store(
      state: Tally(), reducer: reducer, journal: journal, first: [TallyIntent.add(1)],
      handlers: { _ in })
    try await journal.close()
    #expect(Set(lines.all) == ["synced", "closed"])
    store.dispatch(TallyIntent.add(2))
    #expect(try recovered(files) == .after(1))
    withExtendedLifetime(store) {}
  }

  @Test("a shutdown returns after its end is written, also if a dispatching thread writes it")
  func endElsewhere() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .written)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    let (mayReturn, isShut, isEarly) = (DispatchSemaphore(value: 0), Shared(false), Shared(false))
    store.dispatch(TallyIntent.add(1))
    // The journal's own thread is held up, so the shutdown's end is next for the dispatching one.
    journal.core.syncs.run { mayReturn.wait() }
    Task(executorPreference: InlineExecutor()) {
      await store.shutdown()
      isShut.change { $0 = true }
    }
    files.watch { call, path in
      if call != "open" || !path.contains(".state.") { return nil }
      mayReturn.signal()
      journal.core.syncs.wait()
      isEarly.change { $0 = isShut.value }
      return nil
    }
    store.dispatch(TallyIntent.add(2))
    files.watch(nil)
    #expect(isShut.value && !isEarly.value)
  }

  @Test("a journal closed before it had a store gets none, and its files stay")
  func closedEarly() async throws {
    let files = MemoryFiles()
    try Store(state: Tally(), reducer: tally, journal: Journal(in: files, tallyFormat))
      .dispatch(TallyIntent.add(1))
    let journal = try Journal(in: files, tallyFormat)
    try await journal.close()
    #expect(throws: JournalError.self) {
      try Store(state: Tally(), reducer: tally, journal: journal)
    }
    #expect(try recovered(files) == .after(1))
  }

  @Test("releasing the store writes its end, and frees the directory")
  func storeEnds() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .written)
    try Store(state: Tally(), reducer: tally, journal: journal).dispatch(TallyIntent.add(1))
    var random = Xorshift(seed: 1)
    #expect(try recovered(files.afterPowerFailure(&random)) == .after(1))
    #expect(try recovered(files) == .after(1))
  }

  @Test("after close() intents reduce without notifications, and the directory is free")
  func close() async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    let told = Lines()
    let subscription = store.subscribe(selector: \.count) { told.append("\($0)") }
    store.dispatch(TallyIntent.add(1))
    try await journal.close()
    store.dispatch(TallyIntent.add(2))
    #expect(store.state.count == 2)
    #expect(told.all == ["0", "1"])
    #expect(try recovered(files) == .after(1))
    try await journal.close()
    await #expect(throws: JournalError.self) { try await journal.synced() }
    await store.shutdown()
    subscription.cancel()
  }

  @Test("a process writes one closing record, however often it shuts down")
  func endsOnce() async throws {
    let files = MemoryFiles()
    do {
      let journal = try Journal(in: files, tallyFormat)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      store.dispatch(TallyIntent.add(1))
      await store.shutdown()
      await store.shutdown()
      try await journal.synced()
    }
    #expect(kinds(files) == ["log", "commit", "log", "closed"])
  }

  @Test("an end that changes nothing writes nothing")
  func nothingNew() throws {
    let files = MemoryFiles()
    for _ in 0..<3 { _ = try recovered(files) }
    #expect(kinds(files) == ["log", "closed"])
    let restarted = MemoryFiles.of(files.all, restarts: 1)
    for _ in 0..<3 { _ = try recovered(restarted) }
    #expect(kinds(restarted) == ["log", "closed", "?", "closed"])
  }

  @Test("an unused journal can be closed, and ends with its last reference")
  func unused() async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    #expect(throws: JournalError.self) { try Journal(in: files, tallyFormat) }
    try await journal.close()
    for _ in 0..<2 { _ = try Journal(in: files, tallyFormat) }
    #expect(try recovered(files) == Tally())
  }

  @Test("closing or syncing while the store is released waits until all is written")
  func closedWhileTheStoreGoes() throws {
    let files = MemoryFiles()
    let lines = Lines()
    let journal = try Journal(in: files, tallyFormat, .written)
    var store: Store? = try Store(state: Tally(), reducer: tally, journal: journal)
    store?.dispatch(TallyIntent.add(1))
    files.watch { call, path in
      if call == "sync" { lines.append(call) }
      if call != "open" || !path.contains(".state.") { return nil }
      Task(executorPreference: InlineExecutor()) {
        try await journal.synced()
        lines.append("synced")
      }
      Task(executorPreference: InlineExecutor()) {
        try await journal.close()
        lines.append("closed")
      }
      return nil
    }
    store = nil
    files.watch(nil)
    #expect(kinds(files) == ["log", "commit", "log", "closed"])
    #expect(lines.all.filter { $0 != "sync" } == ["synced", "closed"])
    #expect(lines.all.suffix(2) == ["synced", "closed"])
    #expect(try recovered(files) == .after(1))
  }

  @Test("what waits for a sync has it when the store goes, though the journal's thread is late")
  func waitsWhileTheStoreGoes() async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .written)
    var store: Store? = try Store(state: Tally(), reducer: tally, journal: journal)
    store?.dispatch(TallyIntent.add(1))
    let mayRun = DispatchSemaphore(value: 0)
    journal.core.syncs.run { mayRun.wait() }
    let syncing = Task(executorPreference: InlineExecutor()) {
      try await journal.synced()
      var random = Xorshift(seed: 1)
      return files.afterPowerFailure(&random)
    }
    store = nil
    mayRun.signal()
    #expect(try recovered(await syncing.value) == .after(1))
  }

  private struct Picky: Codable, Sendable {
    struct Refused: Error {}
    var isEncodable: Bool

    func encode(to encoder: any Encoder) throws {
      if !isEncodable { throw Refused() }
      var value = encoder.singleValueContainer()
      try value.encode(true)
    }

    init(isEncodable: Bool) { self.isEncodable = isEncodable }

    init(from decoder: any Decoder) throws {
      isEncodable = try decoder.singleValueContainer().decode(Bool.self)
    }
  }

  @Test("another store can take a journal if the first one's state did not encode")
  func refusedStore() throws {
    let journal = try Journal(in: MemoryFiles(), JournalFormat(of: Picky.self, intents: []))
    let reducer: Reducer<Picky> = { _, _ in [] }
    let error = #expect(throws: JournalError.self) {
      try Store(state: Picky(isEncodable: false), reducer: reducer, journal: journal)
    }
    #expect(error?.description.contains("does not encode") == true)
    let store = try Store(state: Picky(isEncodable: true), reducer: reducer, journal: journal)
    #expect(store.state.isEncodable)
  }

  @Test("a journal whose first state could not be written closes, and can be opened again")
  func failedBeginning() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    files.watch { call, _ in call == "sync" ? .error(EIO) : nil }
    #expect(throws: JournalError.self) {
      try Store(state: Tally(), reducer: tally, journal: journal)
    }
    files.watch(nil)
    let error = #expect(throws: JournalError.self) {
      try Store(state: Tally(), reducer: tally, journal: journal)
    }
    #expect(error?.description.contains("open another") == true)
    #expect(try recovered(files) == Tally())
  }

  @Test("giving a journal to a second store stops the program")
  func secondStore() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let journal = try Journal(in: MemoryFiles(), tallyFormat)
        let first = try Store(state: Tally(), reducer: tally, journal: journal)
        let second = try Store(state: Tally(), reducer: tally, journal: journal)
        withExtendedLifetime((first, second)) {}
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("was given to a second store"))
  }
}
