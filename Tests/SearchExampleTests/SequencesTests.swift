import Testing

@testable import SearchExample

@Suite struct SequencesTests {
  private func screen(query: String) -> Screen {
    Screen(SearchState(query: query, size: Size(rows: 3, columns: 60)))
  }

  @Test func `only rows that differ are drawn, and the cursor is put back`() {
    let drawn = Sequences.draw(screen(query: "ab"), over: screen(query: "a").rows)
    #expect(
      drawn == """
        \u{1B}[?25l\u{1B}[1;1H\u{1B}[K\u{1B}[1mSearch: \u{1B}[0m\u{1B}[22mab\u{1B}[0m\
        \u{1B}[1;11H\u{1B}[?25h
        """)
  }

  @Test func `over what is unknown, all is drawn`() {
    let drawn = Sequences.draw(screen(query: "a"), over: [])
    #expect(drawn.hasPrefix("\u{1B}[?25l\u{1B}[2J"))
    for row in 1...3 { #expect(drawn.contains("\u{1B}[\(row);1H")) }
  }
}
