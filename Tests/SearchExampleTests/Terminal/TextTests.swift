import GlueConsole
import Testing

@testable import SearchExample

@Suite struct TextTests {
  @Test("control characters become their pictures, and a tab becomes a space")
  func controlCharactersBecomePictures() {
    #expect(safeText("\u{1B}[2J\u{7}\0\u{7F}\r\na\tb".utf8) == "␛[2J␇␀␡␍␊a b")
  }

  @Test("unprintable characters and invalid UTF-8 become replacement characters")
  func whatDoesNotPrint() {
    #expect(
      safeText("\u{9B}\u{202E}\u{200B}\u{2028}\u{E000}".utf8)
        == "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(safeText([0xFF, 0x61, 0xC3]) == "\u{FFFD}a\u{FFFD}")
  }

  @Test("ordinary text stays as it is")
  func ordinaryTextStaysAs() {
    #expect(safeText("größer 👍 漢字".utf8) == "größer 👍 漢字")
  }

  @Test("a text is as wide as its scalars together")
  func aTextIsAs() {
    #expect(terminalColumns(of: "aé漢👍e\u{301}") == 1 + 1 + 2 + 2 + 1)
    #expect(terminalEnd(of: "ab漢字", columns: 6) == "ab漢字")
    #expect(terminalEnd(of: "ab漢字", columns: 4) == "…字")
    #expect(terminalEnd(of: "ab", columns: 0).isEmpty)
  }
}
