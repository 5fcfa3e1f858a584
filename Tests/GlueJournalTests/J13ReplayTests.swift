import Dispatch
import Foundation
import Glue
import GlueDescribing
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal
@testable import GlueSimulation

private struct Beep: Effect, Codable, Equatable { var times: Int }

@Sendable private func beeping(state: inout Tally, intent: TallyIntent) -> [any Effect] {
  _ = tally(state: &state, intent: intent)
  return state.count % 3 == 0 ? [Beep(times: state.count)] : []
}

private let format = JournalFormat(
  of: Tally.self, intents: [.named("tally", TallyIntent.self)],
  effects: [.atLeastOnce("beep", Beep.self)])

@Suite("J13: a recording replays")
struct J13ReplayTests {
  private func recorded(
    _ count: Int = 12, _ snapshots: Snapshots = .bySize, smallestLog: Int = 1 << 20
  ) throws -> MemoryFiles {
    let files = MemoryFiles()
    let journal = try Journal(
      in: files, format, snapshots: snapshots, keeping: 100, smallestLog: smallestLog,
      digestPause: noDigests)
    let store = try Store(state: Tally(), reducer: beeping, journal: journal)
    journal.skipFirstDigest()
    for value in 0..<count {
      store.dispatch(TallyIntent.add(value + 1))
      journal.core.background.wait()
    }
    return withExtendedLifetime(store) { files.afterKill() }
  }

  private func recording(_ files: MemoryFiles) throws -> Recording<Tally> {
    try Recording(at: "/j", files, format)
  }

  @Test("steps give the commits with numbers, times, intents, effects and states")
  func steps() throws {
    let start = Double(microsecondsNow()) / 1e6
    let steps = try Array(recording(recorded()).steps(reducer: erased(beeping)))
    #expect(steps.map(\.commit.number) == Array(1...12))
    #expect(steps.map { $0.commit.intent as? TallyIntent } == (1...12).map { .add($0) })
    #expect(steps.map(\.commit.before) == (0..<12).map { .after($0) })
    #expect(steps.map(\.commit.after) == (1...12).map { .after($0) })
    #expect(steps[2].commit.effects as? [Beep] == [Beep(times: 3)])
    #expect(steps.allSatisfy { start...(Double(microsecondsNow()) / 1e6) ~= $0.seconds })
  }

  @Test("a step gives the file, the byte and the record")
  func places() throws {
    let files = try recorded(40, smallestLog: 900)
    for step in try recording(files).steps(reducer: erased(beeping)) {
      let place = try #require(step.place.wholeMatch(of: #/(.*), byte (\d+), record (\d+)/#))
      let bytes = try #require(files.all[String(place.1)]).dropFirst(Int(place.2) ?? 0)
      let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      #expect(line.contains("\"n\":\(place.3),"))
      #expect(line.contains("\"commit\":\(step.commit.number),"))
    }
  }

  @Test("state(at:) gives the state after each commit, and refuses unknown commits")
  func states() throws {
    let recording = try recording(recorded(smallestLog: 500))
    for number in 0...12 {
      #expect(try recording.state(at: number, reducer: erased(beeping)) == .after(number))
    }
    #expect(throws: JournalError.self) { try recording.state(at: 13, reducer: erased(beeping)) }
  }

  @Test("the same reducer verifies, in a directory, an export, and cut off")
  func verifies() throws {
    let files = try recorded(40, smallestLog: 900)
    #expect(files.all.keys.count { $0.hasSuffix(".state") } > 2)
    #expect(try recording(files).verify(reducer: erased(beeping)) == nil)
    let journal = try Journal(in: files, format)
    try files.replace("/bug.new", in: nil, by: [1])
    try journal.export(to: "/bug")
    #expect(files.all.filter { !$0.key.hasPrefix("/j/") }.keys.sorted() == ["/bug", "/bug.new"])
    #expect(files.all["/bug.new"] == [1])
    let bytes = try #require(files.all["/bug"])
    for size in stride(from: 300, through: bytes.count, by: 97) {
      let file = MemoryFiles.of(["/bug": Array(bytes[..<size])])
      let cut = try Recording(at: "/bug", file, format)
      if cut.recorded.commit == 0 { continue }
      #expect(try cut.verify(reducer: erased(beeping)) == nil)
    }
    let whole = try Recording(at: "/bug", files, format)
    #expect(try whole.state(at: 40, reducer: erased(beeping)) == .after(40))
  }

  @Test("verify reports the first differing commit, with intent, cause and difference")
  func divergence() throws {
    let other: @Sendable (inout Tally, TallyIntent) -> [any Effect] = { state, intent in
      let effects = beeping(state: &state, intent: intent)
      if state.count == 7 { state.note = "other" }
      return effects
    }
    let found = try recording(recorded(12, .every(1))).verify(reducer: erased(other))
    let divergence = try #require(found)
    #expect(divergence.number == 7 && divergence.lastEqual == 6)
    #expect(divergence.intent as? TallyIntent == .add(7))
    #expect(
      divergence.description == """
        commit #7 .add(7), from outside: the reducer's result differs from the recording
        note: "" → "other"
        """)
    let between = try recording(recorded(12, .every(5))).verify(reducer: erased(other))
    #expect(between?.number == 10 && between?.lastEqual == 5)
    #expect(
      between?.description.contains(
        "recording (it departed between commits 5 and 10, and no state is recorded in between)\n")
        == true)
  }

  @Test("verify throws for a recording without commits")
  func withoutCommits() throws {
    let error = try #require(throws: JournalError.self) {
      try recording(recorded(0, .every(1))).verify(reducer: erased(beeping))
    }
    #expect(
      error.description
        == "the recording: it has no commits after commit 0, so verify checks nothing")
  }

  @Test("verify names the effects that it can't compare")
  func unnamedEffects() throws {
    struct Other: Effect {}
    let files = try recorded(3, .every(1))
    func lines(_ format: JournalFormat<Tally>) throws -> [String] {
      var lines: [String] = []
      let recording = try Recording(at: "/j", files, format)
      let divergence = try recording.verify(
        reducer: { state, intent in
          erased(beeping)(&state, intent) + [Other(), CancelEffects(id: 1)]
        }, report: { lines.append($0) })
      #expect(divergence == nil)
      return lines
    }
    #expect(
      try lines(format) == [
        "verify has compared no effects of Other, which the format does not name: add them to its "
          + "effects:"
      ])
  }

  @Test("verify finds an impure reducer")
  func impure() throws {
    let calls = Shared(0)
    let impure: @Sendable (inout Tally, TallyIntent) -> [any Effect] = { state, intent in
      calls.change { $0 += 1 }
      state.note = "call \(calls.value)"
      return beeping(state: &state, intent: intent)
    }
    let files = MemoryFiles()
    let journal = try Journal(in: files, format, snapshots: .every(1))
    let store = try Store(state: Tally(), reducer: impure, journal: journal)
    for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
    let divergence = try recording(files.afterKill()).verify(reducer: erased(impure))
    #expect(divergence?.number == 1)
    #expect(divergence?.difference == "note: \"call 1\" → \"call 4\"")
  }

  @Test("effects that must happen are compared too")
  func effects() throws {
    let other: @Sendable (inout Tally, TallyIntent) -> [any Effect] = { state, intent in
      beeping(state: &state, intent: intent).map { _ in
        Beep(times: state.count == 6 ? 7 : state.count)
      }
    }
    let divergence = try recording(recorded()).verify(reducer: erased(other))
    #expect(divergence?.number == 6)
    #expect(divergence?.difference.contains("times: 6 → 7") == true)
  }

  @Test("states whose sets and dictionaries encode in any order are equal")
  func unordered() throws {
    struct Loose: Codable, Sendable {
      var set: Set<Int> = []
      var map: [Int: String] = [:]
    }
    let reducer: @Sendable (inout Loose, TallyIntent) -> [any Effect] = { state, intent in
      if case .add(let value) = intent {
        state.set.insert(value)
        state.map[value] = "\(value)"
      }
      return []
    }
    let format = JournalFormat(of: Loose.self, intents: [.named("tally", TallyIntent.self)])
    let files = MemoryFiles()
    let journal = try Journal(in: files, format, snapshots: .every(10))
    let store = try Store(state: Loose(), reducer: reducer, journal: journal)
    for value in 1...200 { store.dispatch(TallyIntent.add(value * 7919 % 1009)) }
    let recording = try Recording(at: "/j", files, format)
    #expect(try recording.verify(reducer: erased(reducer)) == nil)
    withExtendedLifetime(store) {}
  }

  @Test("a gap is shown, and the commits behind it are exact")
  func gaps() throws {
    struct Unnamed: Intent {}
    let reducer: Reducer<Tally> = { state, intent in
      if let intent = intent as? TallyIntent { return beeping(state: &state, intent: intent) }
      state.add(-1)
      return []
    }
    let files = MemoryFiles()
    let store = try Store(state: Tally(), reducer: reducer, journal: Journal(in: files, format))
    for intent in [TallyIntent.add(1), Unnamed(), TallyIntent.add(2)] as [any Intent] {
      store.dispatch(intent)
    }
    let recording = try recording(files)
    let steps = try Array(recording.steps(reducer: reducer))
    #expect(steps[1].commit.intent as? UnrecordedIntent == UnrecordedIntent(commits: 2...2))
    #expect(steps[2].commit.after == store.state)
    #expect(try recording.verify(reducer: reducer) == nil)
  }

  @Test("a set with NaN, which doesn't equal itself, is no difference")
  func notANumber() throws {
    struct Samples: Codable, Sendable { var values: Set<Double> = [] }
    enum SampleIntent: Intent, Codable { case measured(Double) }
    let format = JournalFormat(of: Samples.self, intents: [.named("sample", SampleIntent.self)])
    let reducer: @Sendable (inout Samples, SampleIntent) -> [any Effect] = { state, intent in
      if case .measured(let value) = intent { state.values.insert(value) }
      return []
    }
    let files = MemoryFiles()
    let journal = try Journal(in: files, format, snapshots: .every(1))
    let store = try Store(state: Samples(), reducer: reducer, journal: journal)
    for value in [1, .nan, 2, .nan] { store.dispatch(SampleIntent.measured(value)) }
    let recording = try Recording(at: "/j", files.afterKill(), format)
    #expect(try recording.verify(reducer: erased(reducer)) == nil)
    let other = try recording.verify { state, _ in
      state.values.insert(.nan)
      return []
    }
    #expect(other?.number == 1)
    withExtendedLifetime(store) {}
  }

  @Test("an export of a running store ends with its state, so verify covers all of it")
  func exportedState() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, format, .written, digestPause: noDigests)
    let store = try Store(state: Tally(), reducer: beeping, journal: journal)
    journal.skipFirstDigest()
    let subscription = store.subscribe(selector: \.count) { count in
      // Commits wait in the outbox, or are delivered while the next one is reduced.
      if count == 3 { for value in 4...6 { store.dispatch(TallyIntent.add(value)) } }
      #expect(throws: Never.self) {
        try journal.export(to: "/early")
        let early = try Recording(at: "/early", files, format)
        if early.recorded.commit == 0 { return }
        #expect(try early.verify(reducer: erased(beeping)) == nil)
      }
    }
    for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
    subscription.cancel()
    let other: @Sendable (inout Tally, TallyIntent) -> [any Effect] = { state, intent in
      let effects = beeping(state: &state, intent: intent)
      if state.count == 6 { state.note = "other" }
      return effects
    }
    func verified(_ redaction: JournalRedaction<Tally>) throws -> Divergence? {
      // A name that looks like one of the journal's own.
      let name = "/1795351852546656.bug"
      try journal.export(to: name, redact: redaction)
      let recording = try Recording(at: name, files, format)
      #expect(try recording.verify(reducer: erased(beeping)) == nil)
      return try recording.verify(reducer: erased(other))
    }
    for redaction in [JournalRedaction<Tally>(), JournalRedaction(state: { $0.note = "" })] {
      let divergence = try verified(redaction)
      #expect(divergence?.number == 6 && divergence?.lastEqual == 0)
    }
    // It would reveal the contents of the intents.
    #expect(try verified(JournalRedaction(intent: { $0 })) == nil)
    // A commit happens while the files are read.
    files.watch { call, _ in
      if call == "list" && store.state.count == 6 { store.dispatch(TallyIntent.add(7)) }
      return nil
    }
    let divergence = try verified(JournalRedaction())
    #expect(divergence?.number == 6 && store.state.count == 7)
  }

  @Test("an export called by a reducer stops the program, and says why")
  func exportWhileReducing() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let journal = try Journal(in: MemoryFiles(), tallyFormat)
        let reducer: @Sendable (inout Tally, TallyIntent) -> [any Effect] = { _, _ in
          try? journal.export(to: "/bug")
          return []
        }
        let store = try Store(state: Tally(), reducer: reducer, journal: journal)
        store.dispatch(TallyIntent.add(1))
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("Glue: ") && text.contains("reducer"))
  }

  @Test("redacting covers states, intents and effects")
  func redaction() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, format, keeping: 10, smallestLog: 300)
    let store = try Store(state: Tally(), reducer: beeping, journal: journal)
    for value in 1...9 { store.dispatch(TallyIntent.add(value * 1_111_111)) }
    store.dispatch(TallyIntent.note("secret"))
    let redaction = JournalRedaction<Tally>(
      state: { $0.note = "" },
      intent: { if case TallyIntent.note = $0 { TallyIntent.note("hidden") } else { $0 } },
      effect: { _ in Beep(times: 0) })
    try journal.export(to: "/bug", redact: redaction)
    let bytes = try #require(files.all["/bug"])
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("secret") && text.contains("hidden") && text.contains("9999999"))
    #expect(text.contains("{\"times\":0}") && !text.contains("{\"times\":3}"))
    let exported = try Recording(at: "/bug", files, format)
    #expect(try exported.state(at: 10, reducer: erased(beeping)).note == "hidden")
  }

  @Test("a recording reads a journal that is being written, while old states go", .tags(.threads))
  func live() async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, .written, keeping: 1, smallestLog: 600)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    let reading = Task.detached {
      var last = 0
      while last < 3000 {
        let recording = try Recording(at: "/j", files, tallyFormat)
        let commit = recording.recorded.commit
        #expect(commit >= last)
        #expect(try recording.state(at: commit, reducer: erased(tally)) == .after(commit))
        last = commit
      }
    }
    for value in 1...3000 { store.dispatch(TallyIntent.add(value)) }
    try await reading.value
  }

  @Test("a recording lists the files again if it has missed the log of a state")
  func listsAgain() throws {
    let files = try recorded()
    let directory = try #require(files.disk.withLock { $0.node("/j", nil) })
    let names = files.disk.withLock { $0.nodes[directory]?.names }
    let listings = Shared(0)
    files.watch { [unowned files] call, _ in
      if call == "list" {
        listings.change { $0 += 1 }
        let isFirst = listings.value == 1
        files.disk.withLock { disk in
          disk.nodes[directory]?.names = names?.filter { !isFirst || !$0.key.hasSuffix(".log") }
        }
      }
      return nil
    }
    #expect(try recording(files).recorded.commit == 12)
    #expect(listings.value == 2)
  }

  @Test("files that are no recording are refused")
  func refused() throws {
    for files in [[:], ["/j/x": [1]], ["/j/0000000000000001.log": [UInt8]("x\n".utf8)]] {
      let files = MemoryFiles.of(files)
      #expect(throws: JournalError.self) { try recording(files) }
    }
    #expect(throws: JournalError.self) { try Recording(at: "/nowhere/at/all", format) }
    #expect(throws: JournalError.self) { try Recording(at: "/dev/null", format) }
  }
}
