import Glue
import GlueConsole
import Testing

@testable import SearchExample

@Suite struct SearchReducerTests {
  private var state = SearchState(directory: Path("src".utf8), size: Size(rows: 8, columns: 80))

  /// The effects of these intents, one after another.
  private mutating func reduce(_ intents: SearchIntent...) -> [any Effect] {
    intents.flatMap { searchReducer(state: &state, intent: $0) }
  }

  private func search(_ text: String) -> ScheduledEffect {
    SearchEffect(directory: Path("src".utf8), text: text)
      .scheduled(.debounce(.milliseconds(150)), id: "search")
  }

  private func matches(_ count: Int) -> [Match] {
    (0..<count).map { Match(file: Path("f".utf8), line: $0 + 1, text: [0x61]) }
  }

  @Test("typing searches for the whole query, after a pause")
  mutating func typingSearchesForAll() {
    let effects = reduce(.type("n"), .type("eé"), .erase)
    #expect(effects as? [ScheduledEffect] == [search("n"), search("neé"), search("ne")])
    #expect(state.query == "ne")
    #expect(state.results.phase == .waiting)
  }

  @Test("pasted text becomes one line")
  mutating func whatIsPastedBecomes() {
    let effects = reduce(.type("\na b\r\nc\n"))
    #expect(effects as? [ScheduledEffect] == [search("a b c")])
  }

  @Test("an old query's matches stay until new ones come")
  mutating func whatAnOldQuery() {
    _ = reduce(.type("a"), .finish(Report(matches: matches(3))), .move(2), .type("b"))
    #expect(state.results.matches.count == 3)
    #expect(state.results.selection == 2)
    _ = reduce(.report(Report(matches: matches(1))), .report(Report(matches: matches(1))))
    #expect(state.results.matches.count == 2)
    #expect(state.results.selection == 0)
    _ = reduce(.type("c"), .finish(Report()))
    #expect(state.results.matches.isEmpty)
  }

  @Test("a query that is empty again cancels the search", arguments: [SearchIntent.clear, .erase])
  mutating func aQueryThatIs(intent: SearchIntent) {
    _ = reduce(.type("a"))
    #expect(reduce(intent) as? [CancelEffects] == [CancelEffects(id: "search")])
    #expect(state.results.phase == .idle)
  }

  @Test("reports add up, and the last one ends the search")
  mutating func reportsAddUpAnd() {
    let first = Report(progress: Progress(filesDone: 1), matches: matches(2))
    let last = Report(progress: Progress(filesDone: 2), matches: matches(1))
    #expect(reduce(.type("a"), .report(first)).count == 1)
    #expect(state.results.phase == .searching)
    #expect(reduce(.finish(last)).isEmpty)
    #expect(state.results.matches.count == 3)
    #expect(state.results.progress.filesDone == 2)
    #expect(state.results.phase == .finished)
  }

  @Test("matches past the limit are only counted")
  mutating func moreMatchesThanAre() {
    let report = Report(progress: Progress(matches: 20_002), matches: matches(Results.limit + 1))
    _ = reduce(.report(report), .report(report))
    #expect(state.results.matches.count == Results.limit)
    #expect(state.results.progress.matches == 20_002)
  }

  @Test("Enter opens the selected match, if there is one")
  mutating func enterOpensTheMatch() {
    #expect(reduce(.open).isEmpty)
    let effects = reduce(.report(Report(matches: matches(3))), .move(1), .open)
    #expect(effects as? [OpenEffect] == [OpenEffect(file: Path("f".utf8), line: 2)])
  }

  @Test("Enter typed before anything is found opens the first match")
  mutating func enterTypedBeforeAnything() {
    _ = reduce(.type("a"), .finish(Report(matches: matches(3))), .move(2))
    #expect(reduce(.type("b"), .open).count == 1)
    #expect(reduce(.report(Report())).isEmpty)
    let open = OpenEffect(file: Path("f".utf8), line: 1)
    #expect(reduce(.report(Report(matches: matches(2)))) as? [OpenEffect] == [open])
    #expect(reduce(.finish(Report(matches: matches(1)))).isEmpty)
  }

  @Test(
    "but not after another key, nor if nothing is found",
    arguments: [SearchIntent.type("c"), .erase, .clear, .move(1), .finish(Report())])
  mutating func butNotAfterAnother(intent: SearchIntent) {
    _ = reduce(.type("ab"), .open, intent)
    #expect(reduce(.report(Report(matches: matches(1)))).isEmpty)
  }

  @Test("the selection stays within the matches")
  mutating func theSelectionStaysWithin() {
    _ = reduce(.move(1), .move(-1))
    #expect(state.results.selection == 0)
    _ = reduce(.report(Report(matches: matches(3))), .move(-1))
    #expect(state.results.selection == 0)
    _ = reduce(.move(Results.limit))
    #expect(state.results.selection == 2)
  }

  @Test("the list scrolls no further than the selection needs")
  mutating func theListFollowsThe() {
    #expect(state.listRows == 5)
    _ = reduce(.report(Report(matches: matches(20))), .move(5))
    #expect(state.results.top == 1)
    _ = reduce(.move(-3))
    #expect(state.results.top == 1)
    _ = reduce(.movePage(2))
    #expect((state.results.selection, state.results.top) == (12, 8))
    _ = reduce(.movePage(-2))
    #expect((state.results.selection, state.results.top) == (2, 2))
  }

  @Test("a smaller terminal still shows the selection")
  mutating func aSmallerTerminalStill() {
    _ = reduce(.report(Report(matches: matches(20))), .move(4))
    for rows in [4, 3, 0] {
      _ = reduce(.resize(Size(rows: rows, columns: 10)))
      #expect(state.results.top == 4)
    }
  }

  @Test("a larger terminal leaves no row empty")
  mutating func aLargerTerminalLeaves() {
    _ = reduce(.report(Report(matches: matches(20))), .resize(Size(rows: 2, columns: 80)))
    _ = reduce(.move(Results.limit), .resize(Size(rows: 13, columns: 80)))
    #expect((state.results.selection, state.results.top) == (19, 10))
    _ = reduce(.resize(Size(rows: 50, columns: 80)))
    #expect((state.results.selection, state.results.top) == (19, 0))
  }

  @Test("a failure to open is shown until the next key")
  mutating func aFailureToOpen() {
    _ = reduce(.failToOpen("no"))
    #expect(state.failure == "no")
    _ = reduce(.move(1))
    #expect(state.failure == nil)
  }
}
