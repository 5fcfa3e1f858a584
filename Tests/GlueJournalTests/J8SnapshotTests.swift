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
    #expect(logs.allSatisfy { $0 <= 2 * full + 1 << 18 })
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

  @Test("a commit has a copy of the state for the log if an interval has passed since the last")
  func copies() {
    var queue = Queue(.usual)
    queue.snapshotInterval = 3
    #expect((1...9).filter { queue.takesState(after: $0) } == [3, 6, 9])
  }
}
