import Dispatch
import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal

@Suite("J8: the disk holds a few times the state", .unwatched)
struct J8SnapshotTests {
  @Test("old states and commits go, and as many as requested stay", arguments: 1...3)
  func compaction(keeping: Int) async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, keeping: keeping, smallestLog: 2000)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in 1...2000 { store.dispatch(TallyIntent.add(value)) }
    await store.shutdown()
    journal.core.background.wait()
    let states = files.all.keys.filter { $0.hasSuffix(".state") }
    #expect(states.count == keeping)
    #expect(files.all.keys.filter { $0.hasSuffix(".log") }.count <= keeping + 1)
    #expect(try recovered(files.afterKill()) == .after(2000))
  }

  @Test("no log outgrows its promise, with any number of commits pending", arguments: 0..<4)
  func overload(seed: Int) async throws {
    let files = MemoryFiles()
    let bodies = Shared<[@Sendable () -> Void]>([])
    let full = 100_000
    let journal = try Journal(
      in: files, tallyFormat, .written, keeping: 1000, smallestLog: full)
    let store = try Store(
      state: Tally(), reducer: tally,
      delivery: .custom { body in bodies.change { $0.append(body) } }, journal: journal)
    let size = 50 << seed
    let count = 2_000_000 / (size + 100)
    store.dispatch(TallyIntent.note(""))
    bodies.value[0]()
    for value in 1...count {
      store.dispatch(
        value % 2 == 0 ? TallyIntent.add(value) : .note(String(repeating: "x", count: size)))
    }
    bodies.value[1]()
    await store.shutdown()
    let logs = files.all.filter { $0.key.hasSuffix(".log") }.values.map(\.count)
    #expect(logs.count > 3 && logs.reduce(0, +) > 1_000_000)
    #expect(logs.allSatisfy { $0 <= 4 * full + 1 << 18 })
    let recording = try Recording(at: "/j", files, tallyFormat)
    #expect(try recording.verify(reducer: erased(tally)) == nil)
    #expect(
      try recording.steps(reducer: erased(tally)).map(\.commit.number) == Array(1...count + 1))
  }

  @Test("the first log of a flood keeps to it too, before anything was written")
  func firstLog() throws {
    let files = MemoryFiles()
    let bodies = Shared<[@Sendable () -> Void]>([])
    let journal = try Journal(in: files, tallyFormat, .written, keeping: 1000)
    let store = try Store(
      state: Tally(), reducer: tally,
      delivery: .custom { body in bodies.change { $0.append(body) } }, journal: journal)
    let note = String(repeating: "x", count: 1800)
    for _ in 1...3000 { store.dispatch(TallyIntent.note(note)) }
    for body in bodies.value { body() }
    let size = try #require(files.all["/j/0000000000000001.log"]).count
    #expect(size > 1 << 20 && size <= 2 << 20 + 1 << 18)
  }

  @Test("until a commit's size is known, copies of the state come as for commits of about a KiB")
  func firstInterval() throws {
    let journal = try Journal(in: MemoryFiles(), tallyFormat, smallestLog: 1 << 20)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    withExtendedLifetime(store) {
      let interval = journal.core.queue.withLock { $0.snapshotInterval }
      #expect((400...600).contains(interval))
    }
  }

  @Test("no new state is written before the commits since are as large")
  func size() throws {
    let files = MemoryFiles()
    var state = Tally()
    state.note = String(repeating: "x", count: 10_000)
    let journal = try Journal(in: files, tallyFormat, smallestLog: 100)
    let store = try Store(state: state, reducer: tally, journal: journal)
    for value in 1...50 { store.dispatch(TallyIntent.add(value)) }
    journal.core.background.wait()
    #expect(files.all.keys.filter { $0.hasSuffix(".state") }.count == 1)
    for value in 51...300 { store.dispatch(TallyIntent.add(value)) }
    journal.core.background.wait()
    #expect(files.all.keys.filter { $0.hasSuffix(".state") }.count == 2)
  }

  @Test("a log that outgrows 1 MiB and the state ends before it has twice that")
  func largeCommits() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .written)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for _ in 1...100 where files.all.keys.count(where: { $0.hasSuffix(".state") }) == 1 {
      store.dispatch(TallyIntent.note(String(repeating: "x", count: 100_000)))
      journal.core.background.wait()
    }
    let size = try #require(files.all["/j/0000000000000001.log"]).count
    #expect(size > 1 << 20 && size <= 2 << 20)
    #expect(files.all.keys.count { $0.hasSuffix(".state") } == 2)
  }

  @Test("no delivery waits while a state is written, and the log continues")
  func heldState() throws {
    let files = MemoryFiles()
    let isHeld = DispatchSemaphore(value: 0)
    let reached = DispatchSemaphore(value: 0)
    let journal = try Journal(in: files, tallyFormat, smallestLog: 2000)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    let told = Shared(0)
    let subscription = store.subscribe(selector: \.count) { count in told.change { $0 = count } }
    files.watch { call, path in
      if call == "write", path.contains(".state.") {
        reached.signal()
        isHeld.wait()
      }
      return nil
    }
    var value = 0
    while files.all.keys.count(where: { $0.hasSuffix(".log") }) == 1 {
      value += 1
      store.dispatch(TallyIntent.add(value))
    }
    reached.wait()
    // Twice as much as a log holds otherwise.
    let log = try #require(files.all.keys.filter { $0.hasSuffix(".log") }.max())
    while files.all[log]?.count ?? 0 < 4000 {
      value += 1
      store.dispatch(TallyIntent.add(value))
      #expect(told.value == value)
    }
    #expect(files.all.keys.count { $0.hasSuffix(".log") } == 2)
    files.watch(nil)
    for _ in 1...100 { isHeld.signal() }
    journal.core.background.wait()
    while files.all.keys.filter({ $0.hasSuffix(".log") }).max() == log {
      value += 1
      store.dispatch(TallyIntent.add(value))
    }
    subscription.cancel()
    #expect(try recovered(withExtendedLifetime(store) { files.afterKill() }) == .after(value))
  }

  @Test("a large file of a state is synced now and then")
  func syncs() throws {
    let (files, calls) = (MemoryFiles(), Lines())
    let directory = try Directory(at: "/j", files, isMade: true)
    let file = try LineFile(in: directory, for: "0000000000000001.state")
    files.watch { call, _ in
      calls.append(call)
      return nil
    }
    let piece = [UInt8](repeating: UInt8(ascii: "0"), count: LineFile.pieceSize)
    for _ in 0..<70 { try file.add(piece[...]) }
    #expect(calls.all.count { $0 == "sync" } == 2)
  }

  @Test("a state of more than a piece is written in pieces, and read back")
  func pieces() throws {
    let files = MemoryFiles()
    let calls = Lines()
    files.watch { call, path in
      if path.contains(".state.") { calls.append(call) }
      return nil
    }
    let text = String(repeating: "x", count: 10_000) + "\"quotes\" and a line feed\n"
    let state = (0..<150).map { "entry \($0): \(text)" }
    let format = JournalFormat(of: [String].self, intents: [.named("tally", TallyIntent.self)])
    _ = try Store(state: state, reducer: { _, _ in [] }, journal: Journal(in: files, format))
    #expect(calls.all.count { $0 == "write" } > 5)
    let journal = try Journal(in: files, format)
    let found = try #require(journal.core.phase.withLock { $0.found })
    #expect(typed(found.recorded.state) == state)
  }

  @Test("a state's file that does not read back stops the program, and is not placed")
  func readBack() throws {
    let files = MemoryFiles()
    let directory = try Directory(at: "/j", files, isMade: true)
    let file = try LineFile(in: directory, for: "0000000000000001.state")
    try file.add(Array("{}".utf8)[...])
    files.watch { call, _ in call == "read" ? .error(5) : nil }
    #expect(throws: JournalError.self) { try file.end() }
    files.watch(nil)
    #expect(!files.all.keys.contains("/j/0000000000000001.state"))
    let other = try LineFile(in: directory, for: "0000000000000002.state")
    try other.add(Array("{}".utf8)[...])
    files.watch { call, path in call == "sync" && path.contains("2.state.") ? .nothing : nil }
    try other.end()
    try other.place()
    #expect(lines(of: files.all["/j/0000000000000002.state"] ?? []).first?.members != nil)
  }

  @Test("a commit has a copy of the state for the log if an interval has passed since the last")
  func copies() {
    var queue = Queue(.usual)
    queue.snapshotInterval = 3
    #expect((1...9).filter { queue.takesState(after: $0) } == [3, 6, 9])
  }
}
