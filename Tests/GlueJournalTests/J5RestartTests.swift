import Glue
import GlueSimulation
import Testing

@testable import GlueJournal

extension J5TornOrRottenTests {
  /// The log of a process that has only written its commits, and was killed.
  private static func written(
    to files: MemoryFiles, _ values: ClosedRange<Int>
  ) throws -> MemoryFiles {
    let journal = try Journal(in: files, tallyFormat, .written)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in values { store.dispatch(TallyIntent.add(value)) }
    return withExtendedLifetime(store) { files.afterKill() }
  }

  /// The files with a bit flipped in a line of the log, and where that line begins.
  private static func rotten(
    _ files: MemoryFiles, line: Int, restarts: Int
  ) throws -> (files: MemoryFiles, offset: Int) {
    var all = files.all
    let name = "/j/0000000000000001.log"
    var bytes = try #require(all[name])
    let range = GlueJournal.lines(of: bytes)[line].range
    bytes[range.lowerBound + range.count / 2] ^= 1
    all[name] = bytes
    return (.of(all, restarts: restarts), range.lowerBound)
  }

  @Test("without a restart, records behind a bad one are no torn tail, in any mode")
  func rotten() throws {
    let files = try Self.written(to: MemoryFiles(), 1...5)
    for line in 1...5 {
      let (rotten, offset) = try Self.rotten(files, line: line, restarts: 0)
      let before = rotten.all
      if line == 5 {
        #expect(try recovered(rotten) == .after(4))
        continue
      }
      let error = #expect(throws: JournalError.self) { try recovered(rotten) }
      #expect(error?.offset == offset && error?.record == line + 1)
      #expect(rotten.all.filter { $0.key != "/j/lock" } == before.filter { $0.key != "/j/lock" })
      let torn = try Self.rotten(files, line: line, restarts: 1).files
      #expect(try recovered(torn) == .after(line - 1))
    }
  }

  @Test("opening rewrites what is not known to be on the disk, and no more")
  func rewritten() throws {
    let log = try #require(
      Self.written(to: MemoryFiles(), 1...5).all["/j/0000000000000001.log"])
    let examined = examine([Source(path: "log", bytes: log)], boot: nil)
    #expect(examined.durable == 1 && examined.end == log.count)
    #expect(examined.ends(of: 0).durable == GlueJournal.lines(of: log)[0].range.upperBound)
  }

  @Test("a first record is damaged if the second says that it was on the disk")
  func damagedFirst() throws {
    var log = try #require(
      Self.written(to: MemoryFiles(), 1...1).all["/j/0000000000000001.log"])
    log[20] ^= 1
    let damage = examine([Source(path: "log", bytes: log)], boot: nil).damage
    #expect(damage?.offset == 0 && damage?.record == 1)
  }

  @Test("a log behind one that has lost its last record is kept beside, and its name is free")
  func lostEnd() throws {
    let (files, slot) = (MemoryFiles(), Shared<MemoryFiles?>(nil))
    let journal = try Journal(in: files, tallyFormat, .written, smallestLog: 500)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    // Until the first log is synced, no record of the next one says that it is on the disk.
    files.watch { call, _ in
      if call == "sync" { slot.change { $0 = $0 ?? files.afterKill() } }
      return nil
    }
    for value in 1...20 { store.dispatch(TallyIntent.add(value)) }
    journal.core.background.wait()
    files.watch(nil)
    var all = try #require(slot.value).all
    let logs = all.keys.filter { $0.hasSuffix(".log") }.sorted()
    try #require(logs.count == 2 && all.keys.contains { $0.hasSuffix(".state") })
    let lines = GlueJournal.lines(of: all[logs[0]] ?? [])
    let last = try #require(lines.last)
    all[logs[0]]?.removeSubrange(last.range.lowerBound...)
    let left = MemoryFiles.of(all, restarts: 1)
    do {
      let opened = try Journal(in: left, tallyFormat)
      #expect(left.all[logs[1]] == nil && left.all["\(logs[1]).torn-0"] == all[logs[1]])
      withExtendedLifetime(opened) {}
    }
    #expect(try recovered(left) == .after(lines.count - 2))
  }

  @Test("the last restart before a bad record counts")
  func rottenAfterRestart() throws {
    let first = try Self.written(to: MemoryFiles(), 1...5)
    let files = try Self.written(to: .of(first.all, restarts: 1), 6...10)
    let log = try #require(files.all["/j/0000000000000001.log"])
    let kinds = GlueJournal.lines(of: log).map { $0.members?["opened"]?.integer }
    #expect(kinds == Array(repeating: nil, count: 6) + [5] + Array(repeating: nil, count: 5))
    for line in 1...11 {
      for restarts in 1...2 {
        let rotten = try Self.rotten(files, line: line, restarts: restarts).files
        // The second process has written when all to its own first record was on the disk.
        if line <= 6 || line < 11 && restarts == 1 {
          #expect(throws: JournalError.self) { try recovered(rotten) }
        } else {
          #expect(try recovered(rotten) == .after(line - 2))
        }
      }
    }
  }
}
