import Foundation
import Glue
import GlueDescribing
import GlueSimulation
import GlueTesting
import Synchronization
import ProcessSupport
import Testing

@testable import GlueJournal

/// A reducer whose results differ from a commit on.
@Sendable private func changed(state: inout Tally, intent: TallyIntent) -> [any Effect] {
  _ = tally(state: &state, intent: intent)
  if state.count >= 4 { state.note = "changed" }
  return []
}

/// The files of a process killed after some commits.
private func left<State: Codable & Sendable>(
  _ state: State, _ format: JournalFormat<State>, pause: Int = 0, count: Int = 8,
  _ reducer: @escaping @Sendable (inout State, TallyIntent) -> [any Effect]
) throws -> MemoryFiles {
  let files = MemoryFiles()
  let journal = try Journal(in: files, format, digestPause: pause)
  let store = try Store(state: state, reducer: reducer, journal: journal)
  for value in 1...count { store.dispatch(TallyIntent.add(value)) }
  return withExtendedLifetime(store) { files.afterKill() }
}

/// The digests of the commits in the logs; empty for a commit without one.
private func digests(in files: MemoryFiles) -> [String] {
  files.all.filter { $0.key.hasSuffix(".log") }.values.flatMap { lines(of: $0) }.compactMap {
    $0.members?["commit"] == nil ? nil : $0.members?["digest"]?.description ?? ""
  }
}

/// The reports of a process that continues with them.
private func reports<State: Codable & Sendable>(
  _ files: MemoryFiles, _ state: State, _ format: JournalFormat<State>,
  _ reducer: @escaping @Sendable (inout State, TallyIntent) -> [any Effect],
  onDivergence: OnDivergence = .refuse
) throws -> [String] {
  let lines = Lines()
  let journal = try Journal(in: files, format, onDivergence: onDivergence, reports: lines)
  _ = try Store(state: state, reducer: reducer, journal: journal)
  return lines.all
}

private func intents<State: Codable & Sendable>(_: State.Type, version: Int = 1) -> JournalFormat<
  State
> {
  JournalFormat(
    of: State.self, version: version, intents: [.named("tally", TallyIntent.self)],
    migrate: [.from(1, State.self) { $0 }])
}

@Suite("J13: digests find a reducer that departs from the recording", .unwatched)
struct J13DivergenceTests {
  @Test("a changed reducer is reported after a kill, with the commits and properties, by default")
  func changedReducer() throws {
    let files = try left(Tally(), tallyFormat, tally)
    #expect(try reports(files.afterKill(), Tally(), tallyFormat, tally) == [])
    let lines = try reports(files, Tally(), tallyFormat, changed, onDivergence: .report)
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("/j: commit 4: the reducer's result differs from the recording"))
    #expect(lines[0].contains("the last commit that agreed is 3"))
    #expect(lines[0].contains("the state differs in note. The reducer has changed"))
    #expect(lines[0].contains("the order of a Set"))
  }

  @Test("refusing makes no store and changes nothing, and the old reducer continues")
  func refused() throws {
    let files = try left(Tally(), tallyFormat, tally)
    let before = files.all
    let journal = try Journal(in: files, tallyFormat, onDivergence: .refuse)
    let error = #expect(throws: JournalError.self) {
      try Store(state: Tally(), reducer: changed, journal: journal)
    }
    #expect(error?.description.contains("commit 4") == true)
    #expect(error?.description.hasSuffix(". The recorded commits are unchanged") == true)
    #expect(files.all.filter { $0.key != "/j/lock" } == before.filter { $0.key != "/j/lock" })
    #expect(try recovered(files) == .after(8))
    withExtendedLifetime(journal) {}
  }

  @Test("verify and steps find it too, between the digests")
  func recordings() throws {
    let recording = try Recording(
      at: "/j", left(Tally(), tallyFormat, tally), tallyFormat)
    let divergence = try #require(try recording.verify(reducer: erased(changed)))
    #expect(divergence.number == 4 && divergence.lastEqual == 3)
    #expect(divergence.intent as? TallyIntent == .add(4))
    let steps = try Array(recording.steps(reducer: erased(changed)))
    #expect(steps.compactMap(\.divergence?.number) == [4])
    #expect(steps[3].divergence?.description == divergence.description)
    #expect(try recording.verify(reducer: erased(tally)) == nil)
  }

  @Test("digests of the writer's copy, or when the outbox runs empty, are the same")
  func otherMoments() throws {
    let files = MemoryFiles()
    let bodies = Shared<[@Sendable () -> Void]>([])
    let journal = try Journal(in: files, tallyFormat, digestPause: noDigests, slowDigest: -1)
    let store = try Store(
      state: Tally(), reducer: tally,
      delivery: .custom { body in bodies.change { $0.append(body) } }, journal: journal)
    journal.skipFirstDigest()
    func deliver() {
      for body in bodies.value.dropFirst(digests(in: files).isEmpty ? 0 : 1) { body() }
    }
    for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
    // It becomes due while the commits wait.
    journal.core.queue.withLock { $0.digests.last = 0 }
    deliver()
    // It is due, and left to the writer for one of the next commits.
    journal.core.queue.withLock { $0.digests.last = 0 }
    for value in 4...6 { store.dispatch(TallyIntent.add(value)) }
    deliver()
    let expected = try [3, 4].map { count in
      var line = LineBuffer()
      try Digest.of(Tally.after(count))?.write(to: &line)
      return String(decoding: line.bytes.dropFirst(",\"digest\":".utf8.count), as: UTF8.self)
    }
    #expect(digests(in: files) == ["", "", expected[0], expected[1], "", ""])
  }

  @Test("the first commit of each process has a digest, however long the one before it took")
  func firstCommit() throws {
    let files = try left(Tally(), tallyFormat, pause: noDigests, count: 3, tally)
    #expect(digests(in: files).map(\.isEmpty) == [false, true, true])
    let journal = try Journal(in: files, tallyFormat, digestPause: noDigests)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    for value in 4...5 { store.dispatch(TallyIntent.add(value)) }
    #expect(digests(in: files).map(\.isEmpty) == [false, true, true, false, true])
  }

  private struct Wide: Codable, Sendable {
    var tally = Tally()
    var list = Array(0..<500)
  }

  @Test("of a large state it finds the first differing commit, however few it compares")
  func largeState() throws {
    let wide: @Sendable (inout Wide, TallyIntent) -> [any Effect] = { state, intent in
      tally(state: &state.tally, intent: intent)
    }
    let other: @Sendable (inout Wide, TallyIntent) -> [any Effect] = { state, intent in
      if state.tally.count == 12 { state.list[3] += 1 }
      return tally(state: &state.tally, intent: intent)
    }
    let files = try left(Wide(), intents(Wide.self), count: 20, wide)
    let lines = try reports(files, Wide(), intents(Wide.self), other, onDivergence: .report)
    #expect(lines.count == 1 && lines[0].contains("commit 13: ") && lines[0].contains(" is 12."))
    #expect(lines[0].contains("in list."))
  }
}

// MARK: - Not crying wolf

extension J13DivergenceTests {
  /// Encodes its elements as a list, in the order that they happen to have.
  private struct Loose: Codable, Sendable {
    var all: Set<Int> = []
    init(_ all: Set<Int> = []) { self.all = all }
    init(from decoder: any Decoder) throws {
      all = Set(try decoder.singleValueContainer().decode([Int].self))
    }
    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      for element in all { try list.encode(element) }
    }
  }

  @Test("a state with an unstable encoding is reported once, and never refused")
  func noFunctionOfTheValue() throws {
    let reducer: @Sendable (inout Loose, TallyIntent) -> [any Effect] = { state, intent in
      if case .add(let value) = intent { state.all.insert(value) }
      return []
    }
    // Found in the state to begin with, or, where that is small, in the first that differs.
    for start in [Loose(Set(100..<140)), Loose()] {
      let files = try left(start, intents(Loose.self), count: 30, reducer)
      let lines = try reports(files, start, intents(Loose.self), reducer)
      #expect(lines.count == 1 && lines[0].hasSuffix("but the format's version is the same"))
      let recording = try Recording(at: "/j", files, intents(Loose.self))
      #expect(try recording.verify(reducer: erased(reducer)) == nil)
    }
  }

  @Test("an impure reducer is called impure")
  func impure() throws {
    let calls = Shared(0)
    let reducer: @Sendable (inout Tally, TallyIntent) -> [any Effect] = { state, intent in
      calls.change { $0 += 1 }
      if calls.value > 2 { state.note = "\(calls.value)" }
      return tally(state: &state, intent: intent)
    }
    let files = try left(Tally(), tallyFormat, reducer)
    let lines = try reports(files, Tally(), tallyFormat, reducer, onDivergence: .report)
    #expect(lines.count == 1 && lines[0].contains("The reducer is impure"))
  }

  @Test("digests of another version or algorithm are not compared")
  func otherVersions() throws {
    let files = try left(Tally(), tallyFormat, tally)
    #expect(try reports(files.afterKill(), Tally(), intents(Tally.self, version: 2), changed) == [])
    let others = MemoryFiles.of(
      files.all.mapValues { bytes in
        var file = LineBuffer()
        for line in lines(of: bytes) {
          let text = line.members.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
          let other = text.replacing("\"digest\":[1,", with: "\"digest\":[2,")
          if !text.isEmpty { file.line { $0.json(other.utf8) } }
        }
        return file.bytes
      })
    #expect(try reports(others, Tally(), tallyFormat, changed) == [])
  }

  @Test("a redacted export has no digests; any other has")
  func exports() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    store.dispatch(TallyIntent.note("secret"))
    func export(_ redaction: JournalRedaction<Tally>) throws -> String {
      try journal.export(to: "/bug", redact: redaction)
      return String(decoding: files.all["/bug"] ?? [], as: UTF8.self)
    }
    #expect(try export(JournalRedaction()).matches(of: /"digest":\[1,/).count == 2)
    #expect(try !export(JournalRedaction(state: { $0.note = "" })).contains("digest"))
    withExtendedLifetime(store) {}
  }

  @Test("a redacted export replaces the id of a lasting effect that caused a commit")
  func exportedLastingEffect() async throws {
    struct Watch: Effect, Equatable {}
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(
      state: Tally(), reducer: tally,
      lasting: { $0.note == "watch" ? [Watch().lasting(id: "secret")] : [] }, journal: journal)
    let (notes, end) = AsyncStream.makeStream(of: Never.self)
    store.on(Watch.self) { (_: Watch, dispatch: @escaping DispatchFunc) async in
      dispatch(TallyIntent.add(1))
      end.finish()
    }
    store.dispatch(TallyIntent.note("watch"))
    for await _ in notes {}
    for (redaction, cause) in [
      (JournalRedaction<Tally>(), #"["lasting","secret",1]"#),
      (JournalRedaction(state: { _ in }, id: { "\($0)".count }), #"["lasting","6",1]"#),
    ] {
      try journal.export(to: "/bug", redact: redaction)
      let text = String(decoding: files.all["/bug"] ?? [], as: UTF8.self)
      #expect(text.contains(#""cause":"# + cause), "\(text)")
      #expect(text.contains("secret") == cause.contains("secret"), "\(text)")
    }
  }

  private struct Sparse: Codable, Sendable {
    enum CodingKeys: CodingKey { case count, odd }
    var count = 0
    var odd: Set<Double> = []
    var cache = 0
  }

  @Test("uncoded properties, and a NaN in a set, are no difference")
  func noDifference() throws {
    let reducer: @Sendable (inout Sparse, TallyIntent) -> [any Effect] = { state, _ in
      state.count += 1
      state.odd.formUnion([.nan, -0.0, Double(state.count)])
      state.cache += 2
      return []
    }
    let files = try left(Sparse(), intents(Sparse.self), count: 4, reducer)
    #expect(try reports(files.afterKill(), Sparse(), intents(Sparse.self), reducer) == [])
    let journal = try Journal(in: files, intents(Sparse.self), keeping: 9)
    _ = try Store(state: Sparse(), reducer: reducer, journal: journal)
    let recording = try Recording(at: "/j", files, intents(Sparse.self))
    #expect(try recording.verify(reducer: erased(reducer)) == nil)
  }
}
