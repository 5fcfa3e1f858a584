import Glue
import GlueDescribing
import Testing

@testable import GlueInspector

@Suite("The ids of lasting effects")
struct LastingIDTests {
  private struct Key: Hashable, CustomStringConvertible {
    let secret: String
    var description: String { secret }
  }

  /// The lines about a store in which one effect lasts from the beginning on, and two from the first
  /// commit on, each of which dispatches once.
  private func lines(redact redactions: [Redaction], ids: [String]) async -> [String] {
    let inspector = Inspector<Int>(redact: redactions)
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, intent: NamesIntent) -> [any Effect] in
        if case .type = intent { state += 1 }
        return []
      }, monitors: [inspector],
      lasting: { state in
        ids.prefix(1 + 2 * state).map { NamesEffect.find("a").lasting(id: Key(secret: $0)) }
      })
    store.on(NamesEffect.self) { _, dispatch async in dispatch(NamesIntent.found([])) }
    store.dispatch(NamesIntent.type("a"))
    var lines: [String] = []
    for await line in inspector.events {
      lines.append(line)
      if lines.count(where: { $0.contains(#""is":"ended""#) }) == 3 { break }
    }
    return lines
  }

  /// The number of the commit with which two effects began; the first one's intent may precede it.
  private func beginning(in lines: [String]) throws -> Int {
    try #require(lines.map(object).first { $0["began"] != nil }?["number"] as? Int)
  }

  /// How often each id occurs as that of an effect since a commit.
  private func counts(in lines: [String], since commit: Int) throws -> [String: Int] {
    let told = try lines.map(object)
    let causes = told.map { $0["cause"] as? [String: Any] ?? $0 }
      .filter { $0["of"] as? Int == commit }
    return Dictionary(
      causes.compactMap { $0["lasting"] as? String }.map { ($0, 1) }, uniquingKeysWith: +)
  }

  @Test("are redacted in causes too, and still distinct")
  func redacted() async throws {
    let lines = await lines(redact: [.type(Key.self)], ids: ["hunter1", "hunter2", "hunter3"])
    #expect(!lines.joined().contains("hunter"))
    let began = try lines.compactMap { try object($0)["began"] as? [[String]] }.first
    #expect(
      try Set(began?.map { $0[0] } ?? [])
        == Set(counts(in: lines, since: beginning(in: lines)).keys))
    #expect(try counts(in: lines, since: beginning(in: lines)).values.sorted() == [3, 3])
    #expect(try counts(in: lines, since: 0).values.sorted() == [3])
  }

  @Test("are shown where something else is redacted")
  func others() async throws {
    let lines = await lines(redact: [.path("token")], ids: ["a", "b", "c"])
    #expect(try counts(in: lines, since: 0) == ["a": 3])
    #expect(try counts(in: lines, since: beginning(in: lines)) == ["b": 3, "c": 3])
  }

  @Test("stay distinct if they are long and begin alike")
  func long() async throws {
    let start = String(repeating: "x", count: 200)
    let lines = await lines(redact: [], ids: ["a", start + "b", start + "c"])
    #expect(try counts(in: lines, since: beginning(in: lines)).values.sorted() == [3, 3])
    #expect(lines.allSatisfy { $0.count < 500 })
  }

  @Test("are hidden where only their text is known, and something is redacted")
  func unknown() {
    let commit = Commit(
      number: 7, intent: NamesIntent.type("a"), cause: .lasting("hunter1", sinceCommit: 3),
      effects: [], before: 0, after: 1)
    let discreet = Inspector<Int>(redact: [.type(Key.self)])
    discreet.observe(commit, at: 0)
    #expect(!discreet.lines.joined().contains("hunter"))
    let open = Inspector<Int>()
    open.observe(commit, at: 0)
    #expect(open.lines[0].contains(#""cause":{"lasting":"hunter1","of":3}"#))
  }
}
