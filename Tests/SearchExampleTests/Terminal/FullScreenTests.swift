import Testing

@testable import SearchExample

@Suite struct FullScreenTests {
  private func row(_ text: String) -> Row {
    var row = Row(columns: 4)
    row.add(text, .strong)
    return row
  }

  @Test("only rows that differ are drawn, as far as they fit, and the cursor is put back")
  func onlyRowsThatDiffer() {
    let drawn = FullScreen.draw([row("a"), row("bc漢字")], cursor: 2, over: [row("a"), row("b")])
    #expect(
      drawn == "\u{1B}[?25l\u{1B}[2;1H\u{1B}[K\u{1B}[1mbc漢\u{1B}[0m\u{1B}[1;3H\u{1B}[?25h")
  }

  @Test("over an unknown screen, everything is drawn")
  func overWhatIsUnknown() {
    let drawn = FullScreen.draw([row("a"), row("b")], cursor: 0, over: [])
    #expect(drawn.hasPrefix("\u{1B}[?25l\u{1B}[2J"))
    for row in 1...2 { #expect(drawn.contains("\u{1B}[\(row);1H")) }
  }
}
