import Dispatch
import Glue
import GlueTesting
import Testing

@testable import GlueJournal

@Suite("J8: the disk holds a few times the state")
struct J8SnapshotTests {
  @Test("old states and commits go, as many stay as are to be kept", arguments: 1...3)
  func compaction(keeping: Int) async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, keeping: keeping, smallestLog: 2000)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in 1...2000 { store.dispatch(TallyIntent.add(value)) }
    await store.shutdown()
    journal.core.background.sync {}
    let states = files.all.keys.filter { $0.hasSuffix(".state") }
    #expect(states.count == keeping)
    #expect(files.all.keys.filter { $0.hasSuffix(".log") }.count <= keeping + 1)
    #expect(try recovered(files.afterKill()) == .after(2000))
  }

  @Test("a state is not written anew before the commits since are as large")
  func size() throws {
    let files = MemoryFiles()
    var state = Tally()
    state.note = String(repeating: "x", count: 10_000)
    let journal = try Journal(in: files, tallyFormat, smallestLog: 100)
    let store = try Store(state: state, reducer: tally, journal: journal)
    for value in 1...50 { store.dispatch(TallyIntent.add(value)) }
    journal.core.background.sync {}
    #expect(files.all.keys.filter { $0.hasSuffix(".state") }.count == 1)
    for value in 51...300 { store.dispatch(TallyIntent.add(value)) }
    journal.core.background.sync {}
    #expect(files.all.keys.filter { $0.hasSuffix(".state") }.count == 2)
  }
}
