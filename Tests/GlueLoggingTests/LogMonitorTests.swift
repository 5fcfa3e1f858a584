import Glue
import GlueLogging
import GlueTesting
import ProcessSupport
import Testing

@Suite("A log monitor")
struct LogMonitorTests {
  private struct Shelf: Sendable {
    var owner = "nobody"
    var books: [Int: String] = [:]
    var counter = Counter()
  }

  private enum ShelfIntent: Intent {
    case own(String)
    case put([Int: String])
    case count(Int)
    case nothing
  }

  private struct Reload: Effect {
    var depth = 2
  }

  private static func reduce(state: inout Shelf, intent: ShelfIntent) -> [any Effect] {
    switch intent {
    case .own(let owner): state.owner = owner
    case .put(let books): state.books.merge(books) { $1 }
    case .count(let number):
      state.counter.value = number
      return [CounterEffect.wrote(number), Reload()]
    case .nothing: break
    }
    return []
  }

  private let entries = Transcript<String>()
  private let store: Store<Shelf>

  init() {
    store = Store(
      state: Shelf(), reducer: Self.reduce,
      monitors: [LogMonitor<Shelf>(to: { [entries] in entries.write($0) })])
  }

  @Test("scheduled effects, lasting ones and cancellations show what they were made of")
  func schedules() {
    let store = Store(
      state: Counter(),
      reducer: { (_: inout Counter, _: CounterIntent) in
        [
          Reload().scheduled(.delay(.seconds(2)), id: "shelf"),
          CancelEffects(id: "shelf"), CancelEffects(part: 7),
        ]
      },
      monitors: [LogMonitor<Counter>(to: { [entries] in entries.write($0) })], clock: TestClock())
    store.dispatch(CounterIntent.add(1))
    #expect(
      entries.lines == [
        """
        #1 CounterIntent.add(1)
          effects[0]: Reload(depth: 2).scheduled(.delay(2.0 seconds), id: "shelf"), \
        which has no handler
          effects[1]: CancelEffects(id: "shelf")
          effects[2]: CancelEffects(part: 7)
        """
      ])
    #expect(
      "\(CounterEffect.wrote(1).lasting(id: 3))".hasSuffix("CounterEffect.wrote(1), id: 3)"))
  }

  @Test("an entry has the number, the intent and what it changed")
  func change() {
    store.dispatch(ShelfIntent.own("Ada"))
    store.dispatch(ShelfIntent.put([1: "Emma", 2: "Ulysses"]))
    store.dispatch(ShelfIntent.put([2: "Ulysses, again"]))
    #expect(
      entries.lines == [
        """
        #1 ShelfIntent.own("Ada")
          owner: "nobody" → "Ada"
        """,
        """
        #2 ShelfIntent.put([1: "Emma", 2: "Ulysses"])
          books[1]: added "Emma"
          books[2]: added "Ulysses"
        """,
        """
        #3 ShelfIntent.put([2: "Ulysses, again"])
          books[2]: "Ulysses" → "Ulysses, again"
        """,
      ])
  }

  @Test("an intent that changes nothing, or that the reducer does not know, has an entry too")
  func nothing() {
    store.dispatch(ShelfIntent.nothing)
    store.dispatch(CounterIntent.ignore)
    #expect(
      entries.lines == [
        "#1 ShelfIntent.nothing: nothing changed", "#2 CounterIntent.ignore: nothing changed",
      ])
  }

  @Test("effects are listed by their index, and named as the cause of what their handlers send")
  func effectsAndCauses() {
    store.on(Reload.self) { _, dispatch in dispatch(ShelfIntent.own("Bob")) }
    store.dispatch(ShelfIntent.count(3))
    #expect(
      entries.lines == [
        """
        #1 ShelfIntent.count(3)
          counter.value: 0 → 3
          effects[0]: CounterEffect.wrote(3), which has no handler
          effects[1]: Reload(depth: 2)
        """,
        """
        #2 ShelfIntent.own("Bob"), from effects[1] of #1
          owner: "nobody" → "Bob"
        """,
      ])
  }

  private struct Poll: Effect, Equatable {}

  @Test("lasting effects are listed with their ids, by which they are named as causes")
  func lasting() {
    for (redactions, a, b) in [
      ([], #"a\u{202E}"#, "b"), ([Redaction.value("b")], "<redacted> (2)", "<redacted>"),
    ] {
      let entries = Transcript<String>()
      let monitor = LogMonitor<Int>(redact: redactions) { entries.write($0) }
      func note(_ number: Int, _ cause: Cause, began: [LastingEffect], ceased: [LastingEffect]) {
        monitor.observe(
          Commit(
            number: number, intent: CounterIntent.ignore, cause: cause, effects: [],
            details: CommitDetails(began: began, ceased: ceased), before: 0, after: 0
          ))
      }
      note(1, .lasting("a\u{202E}", sinceCommit: 0), began: [Poll().lasting(id: "b")], ceased: [])
      note(2, .lasting("b", sinceCommit: 1), began: [], ceased: [Poll().lasting(id: "a\u{202E}")])
      #expect(
        entries.lines == [
          """
          #1 CounterIntent.ignore, from \(a), which lasts since #0
            began: Poll(), id \(b)
          """,
          """
          #2 CounterIntent.ignore, from \(b), which lasts since #1
            ceased: Poll(), id \(a)
          """,
        ])
    }
  }

  @Test("nothing in a state or an intent can end a line or reach the terminal")
  func controlCharacters() {
    store.dispatch(ShelfIntent.own("a\nb\u{1B}[31m"))
    #expect(
      entries.lines == [
        #"""
        #1 ShelfIntent.own("a\nb\u{1B}[31m")
          owner: "nobody" → "a\nb\u{1B}[31m"
        """#
      ])
  }

  @Test("long values are shortened, and long lists of differences cut off")
  func long() {
    store.dispatch(ShelfIntent.own(String(repeating: "x", count: 10_000)))
    store.dispatch(
      ShelfIntent.put(Dictionary(uniqueKeysWithValues: (0..<1000).map { ($0, "title") })))
    #expect(entries.lines.allSatisfy { $0.utf8.count < 1000 })
    #expect(entries.lines[1].hasSuffix("\n  … and 980 more differences"))
  }

  @Test(
    "without a sink it writes whole lines to standard error, from several stores at once",
    .tags(.threads))
  func standardError() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      await onThread {
        onThreads(4) { thread in
          let store = Store(
            state: thread * 1000, reducer: { (_: inout Int, _: CounterIntent) in [] },
            monitors: [LogMonitor<Int>()])
          for number in 0..<100 { store.dispatch(CounterIntent.add(number)) }
        }
      }
    }
    let lines = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      .split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(lines.count == 400)
    for number in 0..<100 {
      let line = "#\(number + 1) CounterIntent.add(\(number)): nothing changed"
      #expect(lines.count { $0 == line } == 4)
    }
  }
}
