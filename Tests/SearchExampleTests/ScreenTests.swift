import GlueConsole
import Testing

@testable import SearchExample

@Suite struct ScreenTests {
  private var state = SearchState(size: Size(rows: 6, columns: 60))

  /// The text on the screen, without the escape sequences for its styles.
  private func text(_ row: Row) -> String {
    row.text.replacing(#/\u{1B}\[[0-9;]+m/#, with: "")
  }

  private mutating func show(_ matches: [Match], query: String) {
    state.query = query
    let progress = Progress(filesKnown: 40, filesDone: 10, matches: matches.count)
    state.results.add(Report(progress: progress, matches: matches), .searching)
  }

  private func match(_ text: String, file: String = "dir/file") -> Match {
    Match(file: Path(file.utf8), line: 7, text: Array(text.utf8))
  }

  @Test("it shows the query, the progress, matches and the keys")
  mutating func itHasTheQuery() {
    show([match("\ta needle."), match("needle")], query: "needle")
    #expect(
      Screen(state).rows.map(text) == [
        "Search: needle",
        "[#####...............] 2 matches in 10/40 files",
        "dir/file:7: a needle.",
        "dir/file:7: needle",
        "",
        "Up/Down: select   Enter: open   Esc: clear   Ctrl-C: quit",
      ])
    #expect(Screen(state).cursor == 14)
  }

  @Test("every match in a line is highlighted")
  mutating func everyPlaceThatMatches() {
    show([match("aba-ABA-aba")], query: "aba")
    let row = Screen(state).rows[2]
    #expect(row.text.matches(of: #/7;1(;31)?maba\u{1B}\[0m/#).count == 2)
    #expect(text(row) == "dir/file:7: aba-ABA-aba")
  }

  @Test("the first match is in view, however much text precedes it")
  mutating func theFirstMatchIs() {
    let long = String(repeating: "x", count: 100)
    show([match("\(long)needle", file: "\(long)/file")], query: "needle")
    let row = Screen(state).rows[2]
    #expect(row.text.contains(#/7;1(;31)?mneedle\u{1B}/#))
    #expect(text(row).contains("xx/file:7: …xx"))
    #expect(terminalColumns(of: text(row)) == 60)
  }

  @Test("no escape code of a file, a name or the query gets through")
  mutating func noEscapeCodeOf() {
    let evil = "\u{1B}[2J\u{9B}31m\r\n\u{202E}\u{7}"
    state.directory = Path(evil.utf8)
    let rows = Screen(state).rows
    show([match("\(evil)\(evil)", file: evil)], query: evil)
    state.failure = evil
    for scalar in (rows + Screen(state).rows).map(text).joined().unicodeScalars {
      #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar != "\u{202E}")
    }
  }

  @Test("it fits into a terminal of any size", arguments: 0...5, [0, 1, 2, 9, 61])
  mutating func itFitsIntoA(rows: Int, columns: Int) {
    show([match("漢字needle漢字", file: "漢字")], query: "字needle")
    state.size = Size(rows: rows, columns: columns)
    let screen = Screen(state)
    #expect(screen.rows.count == rows)
    #expect(screen.rows.allSatisfy { terminalColumns(of: text($0)) <= columns })
    #expect((0...max(columns - 1, 0)).contains(screen.cursor))
  }

  @Test("only the selected match is marked")
  mutating func onlyTheSelectedMatch() {
    show([match("a"), match("b"), match("c"), match("d")], query: "x")
    state.results.move(by: 3, listRows: state.listRows)
    let rows = Screen(state).rows
    #expect(rows.filter { $0.text.contains("[7;") }.map(text) == ["dir/file:7: d"])
    #expect(text(rows[2]) == "dir/file:7: b")
  }

  @Test("matches out of view are counted")
  mutating func whatIsNotShown() {
    let progress = Progress(filesKnown: 1, filesDone: 1, binaries: 1, failures: 2, matches: 1)
    state.results.add(Report(progress: progress), .finished)
    state.size.columns = 80
    #expect(
      text(Screen(state).rows[1])
        == "[####################] 1 match in 1/1 file, 1 binary, 2 unreadable")
    let many = Progress(filesKnown: 2, filesDone: 2, matches: 10_001)
    state.results.add(Report(progress: many), .finished)
    #expect(text(Screen(state).rows[1]).contains("10001 matches (10000 shown)"))
  }

  @Test("a long query shows its end, before the cursor")
  mutating func ofALongQuery() {
    state.query = String(repeating: "x", count: 100) + "end"
    let screen = Screen(state)
    #expect(text(screen.rows[0]).hasSuffix("xxend"))
    #expect(screen.cursor == 59)
  }
}
