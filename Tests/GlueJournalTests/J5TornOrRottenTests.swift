import Glue
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal
@testable import GlueSimulation

@Suite("J5: opening cuts off and keeps a torn tail, and refuses damage")
struct J5TornOrRottenTests {
  /// The files after some commits, each durable on its own, and a second process that was killed.
  private static func files(commits: Int = 5) throws -> [String: [UInt8]] {
    let files = MemoryFiles()
    do {
      let journal = try Journal(in: files, tallyFormat)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
    }
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in 4...commits { store.dispatch(TallyIntent.add(value)) }
    return withExtendedLifetime(store) { files.afterKill().all }
  }

  private static let log = "/j/0000000000000005.log"
  private static let state = "/j/0000000000000005.state"

  @Test("cut at any byte, a log gives the records before, and the rest is kept")
  func truncations() throws {
    let whole = try Self.files()
    let bytes = try #require(whole[Self.log])
    let ends = bytes.indices.filter { bytes[$0] == 10 }.map { $0 + 1 }
    // The first line was on the disk before the state that needs it, and the second ends a process.
    for size in 0..<ends[0] {
      let files = MemoryFiles.of(whole.merging([Self.log: Array(bytes[..<size])]) { $1 })
      #expect(throws: JournalError.self) { try recovered(files) }
    }
    for size in ends[0]...bytes.count {
      let files = MemoryFiles.of(whole.merging([Self.log: Array(bytes[..<size])]) { $1 })
      let reports = Lines()
      let complete = ends.count { $0 <= size } - 2
      #expect(try recovered(files, reports: reports) == .after(3 + max(0, complete)))
      let start = ends.last { $0 <= size } ?? 0
      #expect(reports.all.count == (start < size ? 1 : 0))
      let kept = files.all.filter { $0.key.contains("torn") }
      let torn = Array(bytes[start..<size])
      #expect(kept == (torn.isEmpty ? [:] : ["\(Self.log).torn-\(start)": torn]))
    }
  }

  @Test("an unfinished file goes also where a process ended before its first state")
  func unfinishedFirstState() throws {
    let files = MemoryFiles.of(["/j/0000000000000001.state.1a2b.new": [1]])
    try withExtendedLifetime(Journal(in: files, tallyFormat)) { _ in }
    #expect(files.all.keys.allSatisfy { !$0.hasSuffix(".new") })
  }

  /// Two bytes without a line feed, and a line that is longer than the log before.
  @Test(
    "a log that was never begun is kept beside, and an unfinished file goes",
    arguments: [[1, 2], [UInt8](repeating: 65, count: 4095) + [10]])
  func unbegunLog(bytes: [UInt8]) throws {
    let next = "/j/0000000000000099"
    let files = MemoryFiles.of(
      try Self.files().merging(["\(next).log": bytes, "\(next).state.1a2b.new": [3]]) { $1 })
    #expect(try recovered(files) == .after(5))
    #expect(files.all.filter { $0.key.hasPrefix(next) } == ["\(next).log.torn-0": bytes])
  }

  @Test("the log ends with its last whole record before the next is written")
  func endOfLog() throws {
    let whole = try Self.files()
    let log = try #require(whole[Self.log])
    let torn = [UInt8](repeating: 65, count: 4096)
    let files = MemoryFiles.of(whole.merging([Self.log: log + torn]) { $1 })
    let journal = try Journal(in: files, tallyFormat)
    #expect(withExtendedLifetime(journal) { files.all[Self.log]?.count } == log.count)
  }

  @Test("bytes that are kept are never overwritten by others, and not kept twice")
  func keptAgain() throws {
    let whole = try Self.files()
    let log = try #require(whole[Self.log])
    let files = MemoryFiles.of(whole)
    for torn: [UInt8] in [[1], [1], [2], [1], [2], [3]] {
      files.disk.withLock { disk in
        if let node = disk.node(Self.log, nil) { disk.nodes[node]?.bytes = log + torn }
      }
      try withExtendedLifetime(Journal(in: files, tallyFormat)) { _ in }
    }
    let name = "\(Self.log).torn-\(log.count)"
    #expect(
      files.all.filter { $0.key.contains("torn") }
        == [name: [1], "\(name)-2": [2], "\(name)-3": [3]])
  }

  @Test("with any bit flipped, no unwritten record is accepted")
  func flippedBits() throws {
    let whole = try Self.files()
    for name in [Self.log, Self.state] {
      let bytes = try #require(whole[name])
      let starts = [0] + bytes.indices.filter { bytes[$0] == 10 }.map { $0 + 1 }
      for bit in 0..<bytes.count * 8 {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << (bit % 8)
        let before = whole.merging([name: damaged]) { $1 }.filter { $0.key != "/j/lock" }
        let files = MemoryFiles.of(before)
        let line = starts.count { $0 <= bit / 8 } - 1
        // Of the log's lines the last is covered by none, and what is not covered may be torn.
        if name == Self.log && line == starts.count - 2 {
          #expect(try recovered(files) == .after(4))
        } else {
          let error = #expect(throws: JournalError.self) { try recovered(files) }
          #expect(error?.path == name)
          #expect(error?.offset == starts[line])
          let isUnchanged = files.all.filter { $0.key != "/j/lock" } == before
          #expect(isUnchanged)
        }
      }
    }
  }

  @Test("a last line is found behind a damaged line feed, with anything before it")
  func damagedLineFeed() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    let text = String(repeating: "00000000 {\"n\":1} ", count: 200)
    store.dispatch(TallyIntent.note(text))
    store.dispatch(TallyIntent.add(1))
    let killed = withExtendedLifetime(store) { files.afterKill().all }
    let name = "/j/0000000000000001.log"
    var bytes = try #require(killed[name])
    let feed = try #require(bytes.dropLast().lastIndex(of: 10))
    bytes[feed] = 0
    let error = #expect(throws: JournalError.self) {
      try recovered(.of(killed.merging([name: bytes]) { $1 }))
    }
    #expect(error?.offset == bytes.firstIndex(of: 10).map { $0 + 1 })
  }

  @Test("a log with a line missing, repeated or out of order is refused")
  func lines() throws {
    let whole = try Self.files()
    let lines = try #require(whole[Self.log]).split(separator: 10, omittingEmptySubsequences: false)
    var changed: [[[UInt8].SubSequence]] = []
    for index in 0..<lines.count - 2 {
      changed.append(Array(lines[..<index] + lines[(index + 1)...]))
      var swapped = lines
      swapped.swapAt(index, index + 1)
      changed.append(swapped)
      if index < lines.count - 3 { changed.append(Array(lines[...index] + lines[index...])) }
    }
    for lines in changed {
      let files = MemoryFiles.of(
        whole.merging([Self.log: Array(lines.joined(separator: [10]))]) { $1 })
      #expect(throws: JournalError.self) { try recovered(files) }
    }
  }

  @Test("a journal without its log or state is refused, and never started over")
  func missingFiles() throws {
    let whole = try Self.files()
    for name in [Self.log, Self.state] {
      var some = whole
      some[name] = nil
      for old in some.keys where old.contains("/0000000000000001.") { some[old] = nil }
      #expect(throws: JournalError.self) { try recovered(.of(some)) }
    }
  }

  /// A log with so many commits, without the state before it.
  private static func logAlone(commits: Int) throws -> MemoryFiles {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in 0..<commits { store.dispatch(TallyIntent.add(value + 1)) }
    let left = withExtendedLifetime(store) { files.afterKill() }
    return .of(left.all.filter { $0.key.hasSuffix(".log") })
  }

  @Test("a log alone is refused if it has a commit, even if that is the only one")
  func missingFirstState() throws {
    let files = try Self.logAlone(commits: 1)
    #expect(throws: JournalError.self) { try recovered(files) }
  }

  @Test("a log alone without a commit is a new journal")
  func newLogAlone() throws {
    #expect(try recovered(Self.logAlone(commits: 0)) == Tally())
  }

  @Test("a state or log that is empty, or begins with damage, is damaged at its first record")
  func damagedBeginnings() throws {
    let whole = try Self.files()
    let number = try #require(FileName(String(Self.log.dropFirst("/j/".count)))).number
    for name in [Self.log, Self.state] {
      for bytes in [[], [0] + (whole[name] ?? []).dropFirst()] {
        let files = MemoryFiles.of(whole.merging([name: bytes]) { $1 })
        let error = #expect(throws: JournalError.self) { try recovered(files) }
        #expect(error?.path == name && error?.offset == 0 && error?.record == number)
        #expect(error?.description.contains("damaged or missing") == true)
      }
    }
  }

  @Test("a state in its log's place, or the reverse, is refused and named")
  func wrongFiles() throws {
    let whole = try Self.files()
    for (name, other) in [(Self.log, Self.state), (Self.state, Self.log)] {
      let files = MemoryFiles.of(whole.merging([name: whole[other] ?? []]) { $1 })
      let error = #expect(throws: JournalError.self) { try recovered(files) }
      #expect(error?.path == name && error?.offset == 0)
    }
    // The state of a log that follows another one.
    var some = whole
    some[Self.log] = whole[Self.state]
    some[Self.state] = nil
    let error = #expect(throws: JournalError.self) { try recovered(.of(some)) }
    #expect(error?.path == Self.log && error?.offset == 0)
  }

  @Test(
    "any bytes are refused or cut off", arguments: Trials.seeds(Trials.number("GLUE_FUZZ", or: 300))
  )
  func anyBytes(seed: UInt64) throws {
    var random = Xorshift(seed: seed)
    var files = try Self.files()
    let name = [Self.log, Self.state].randomElement(using: &random) ?? ""
    var bytes = files[name] ?? []
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let start = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, start + Int.random(in: 0..<40, using: &random))
      let new = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: .min ... .max, using: &random)
          : Array("{}[],:\"\\0n\n".utf8).randomElement(using: &random) ?? 0
      }
      bytes.replaceSubrange(start..<end, with: new)
    }
    files[name] = bytes
    do {
      let state = try recovered(.of(files))
      #expect(state == .after(state.count))
    } catch is JournalError {}
  }

  @Test(
    "any JSON with the right checksum is refused or read",
    arguments: Trials.seeds(Trials.number("GLUE_FUZZ", or: 300)))
  func anyJSON(seed: UInt64) throws {
    var random = Xorshift(seed: seed)
    var files = try Self.filesWithEffects()
    let name = try #require(
      files.keys.filter { $0 != "/j/lock" }.sorted().randomElement(using: &random))
    let pieces = [
      "\"nan\"", "-1", "0", "9", "999999999999999999", "1e400", "[]", "{}", "[[1,0]]", "null",
      "\"", "\\", "\\\"", ",", ":", "]", "}", "\u{0}", "\"delay\"", "\"latest\"", "\"d\":0",
      "\"from\":9",
    ]
    var lines = (files[name] ?? []).split(separator: 10).map { Array($0.dropFirst(9)) }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let line = Int.random(in: 0..<lines.count, using: &random)
      let start = Int.random(in: 0...lines[line].count, using: &random)
      let end = min(lines[line].count, start + Int.random(in: 0..<6, using: &random))
      let piece = pieces.randomElement(using: &random) ?? ""
      lines[line].replaceSubrange(start..<end, with: Array(piece.utf8))
    }
    var buffer = LineBuffer()
    for line in lines { buffer.line { $0.json(line) } }
    files[name] = buffer.bytes
    for path in ["/j", name] {
      let all = MemoryFiles.of(files)
      do {
        _ = try Recording(at: path, all, Self.effectFormat).verify(reducer: Self.reminding)
      } catch is JournalError {}
    }
    do {
      let journal = try Journal(in: .of(files), Self.effectFormat)
      _ = try Store(state: Tally(), reducer: Self.reminding, journal: journal)
    } catch is JournalError {}
  }

  private static let effectFormat = JournalFormat(
    of: Tally.self, intents: [.named("tally", TallyIntent.self)], effects: [.sends("send")])

  @Sendable static func reminding(state: inout Tally, intent: any Intent) -> [any Effect] {
    guard case TallyIntent.add(let value) = intent else { return [] }
    state.add(value)
    return [Send(TallyIntent.note("\(value)")).scheduled(.delay(.seconds(9)), id: "\(value)")]
  }

  /// The files of two processes, with effects that are left, and recorded states.
  private static func filesWithEffects() throws -> [String: [UInt8]] {
    let files = MemoryFiles()
    for values in [1...2, 3...4] {
      let journal = try Journal(in: files, effectFormat, snapshots: .every(2))
      let store = try Store(
        state: Tally(), reducer: reminding, clock: TestClock(), journal: journal)
      for value in values { store.dispatch(TallyIntent.add(value)) }
      if values.contains(4) { return withExtendedLifetime(store) { files.afterKill().all } }
    }
    return [:]
  }

  @Test("JSON of no journal, with the right checksum, is refused and named")
  func wrongJSON() throws {
    let whole = try Self.files()
    let texts = [
      "{\"n\":11}", "{\"n\":11,\"d\":0,\"commit\":6}", "{\"n\":11,\"d\":0,\"new\":7}",
      "{\"n\":11,\"d\":0,\"commit\":9,\"at\":1,\"intent\":[\"tally\",{\"add\":{\"_0\":7}}]}",
      "{\"n\":11,\"d\":0,\"commit\":6,\"at\":1,\"intent\":[\"tally\",{\"add\":{\"_0\":\"x\"}}]}",
      "{\"n\":11,\"d\":0,\"commit\":6,\"at\":1,\"intent\":[\"other\",{}]}",
      "{\"n\":11,\"d\":0,\"over\":[[1]]}", "{\"n\":11,\"d\":0,\"over\":7}",
      "{\"n\":11,\"d\":0,\"log\":5,\"format\":2}",
    ]
    let next = try #require(whole[Self.log]).split(separator: 10).count
    for text in texts {
      var line = LineBuffer()
      line.line { $0.json(Array(text.replacing("11", with: "\(next + 5)").utf8)) }
      let bytes = (whole[Self.log] ?? []) + line.bytes
      #expect(throws: JournalError.self, "\(text)") {
        try recovered(.of(whole.merging([Self.log: bytes]) { $1 }))
      }
    }
  }
}
