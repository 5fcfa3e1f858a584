import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// Two programs with different Swift types share a log, as in an upgrade from one machine to the
/// next.
@Suite(.jumpingTime) struct RollingTests {
  let log = MemoryLog()
  let events = Noted<SharedStoreEvent>()

  private func line(of board: some Board) throws -> ArraySlice<UInt8> {
    try boardFormat(of: board).line(of: board)[...]
  }

  private func boardFormat<State: Board>(of board: State) -> JournalFormat<State> {
    GlueClusterTests.boardFormat()
  }

  @Test func aPropertyThatOnlyOneProgramKnowsIsNoDifference() throws {
    let old = OldBoard()
    var new = NewBoard()
    #expect(try boardFormat(of: new).difference(of: new, from: line(of: old)) == nil)
    new.step = 7
    new.title = "new"
    #expect(try boardFormat(of: old).difference(of: old, from: line(of: new)) == nil)
  }

  @Test func aNilAgainstAValueIsADifference() throws {
    var changed = NewBoard()
    changed.step = 7
    let format = boardFormat(of: changed)
    #expect(try format.difference(of: NewBoard(), from: line(of: changed)) == "step")
    #expect(try format.difference(of: changed, from: line(of: NewBoard())) == "step")
    #expect(try format.difference(of: changed, from: line(of: changed)) == nil)
  }

  /// Each of the two keeps snapshots that the other compares with its own state.
  @Test func twoTypesAreUpgradedAndNoDifferenceIsReported() async throws {
    let old = board(
      OldBoard.self, "old", on: log.connection(), snapshotEvery: 4, report: events.add)
    var new = board(NewBoard.self, "new", on: log.connection(), versions: both, snapshotEvery: 4) {
      events.add($0)
    }
    for number in 0..<40 {
      await new.reached(try await old.send(LineIntent.add("old \(number)")))
      await old.reached(try await new.send(LineIntent.add("new \(number)")))
    }
    #expect(old.status.link == .live && new.status.link == .live)

    // A new program begins with a snapshot of either.
    await new.close()
    new = board(
      NewBoard.self, "new", on: log.connection(), versions: both, snapshotEvery: 4,
      report: events.add)
    try await new.catchUp()
    #expect(new.store.state.state.lines == old.store.state.state.lines)
    await #expect(throws: UpgradeError.notReady(["old"])) { try await new.upgrade(to: 2) }
    await old.close()
    try await new.upgrade(to: 2)
    #expect(new.store.state.state.step == 1 && new.store.state.state.lines.count == 80)
    #expect(!events.all.contains { if case .differs = $0 { true } else { false } })
    await new.close()
  }

  @Test func aStateThatDiffersInAKnownPartIsReportedAcrossTypes() async throws {
    let wrong = SharedVersion<NewBoard>.version(1) { state, intent in
      if case LineIntent.add(let text) = intent { state.lines.append(text + "!") }
      return []
    }
    let old = board(OldBoard.self, "old", on: log.connection(), snapshotEvery: 4)
    let new = board(
      NewBoard.self, "new", on: log.connection(), versions: [wrong, next], snapshotEvery: 4,
      report: events.add)
    try await new.catchUp()
    while !events.all.contains(where: { if case .differs = $0 { true } else { false } }) {
      await new.reached(try await old.send(LineIntent.add("a")))
    }
    guard case .differs(_, let path) = events.all[0] else { throw SharedStoreError.closed }
    #expect(path.hasPrefix("lines[0]"))
    await old.close()
    await #expect(throws: UpgradeError.notReady(["new"])) { try await new.upgrade(to: 2) }
    await new.close()
  }

  @Test func aSnapshotThatTheNewProgramCannotReadIsReportedBeforeItIsNeeded() async throws {
    let old = board(OldBoard.self, "old", on: log.connection(), snapshotEvery: 4)
    let hasty = board(
      HastyBoard.self, "hasty", on: log.connection(), snapshotEvery: 4, report: events.add)
    try await hasty.catchUp()
    while events.all.isEmpty {
      await hasty.reached(try await old.send(LineIntent.add("a")))
    }
    guard case .differs(_, let path) = events.all[0] else { throw SharedStoreError.closed }
    #expect(path == #"this program can't read it: "step" is missing"#)
    await old.close()
    await hasty.close()
  }

  @Test func aSnapshotThatDoesNotDecodeIsNotKept() async throws {
    let shared = board(OneWayBoard.self, "a", on: log.connection(), snapshotEvery: 2) {
      events.add($0)
    }
    for text in ["a", "b"] { try await shared.send(LineIntent.add(text)) }
    let reason = "its coding throws DecodingError"
    await events.wait { $0.contains(.snapshotFailed(position: 2, reason)) }
    #expect(try await log.connection().snapshot() == nil)
    await shared.close()
  }
}

/// Encodes what it doesn't decode.
private struct OneWayBoard: Board {
  var lines: [String] = []

  init() {}

  init(from decoder: any Decoder) throws {
    let context = DecodingError.Context(codingPath: [], debugDescription: "")
    throw DecodingError.dataCorrupted(context)
  }
}
