import TerminalSupport
import Testing

@Suite struct QuotedTests {
  private func quote(_ text: String) -> String {
    quoted(Array(text.utf8)[...])
  }

  @Test func `nothing that steers a terminal gets through`() {
    #expect(quote("\u{1B}[2J\u{7}\0\u{7F}\u{9B}") == #""\u{1B}[2J\u{7}\u{0}\u{7F}\u{9B}""#)
    #expect(quote("\u{202E}\u{200B}\u{2028}\u{E000}") == #""\u{202E}\u{200B}\u{2028}\u{E000}""#)
  }

  @Test func `invalid UTF-8 is shown byte by byte, what is valid beside it as it is`() {
    #expect(quoted([0xFF, 0x61, 0xC3, 0xA9, 0xE2, 0x82, 0x62, 0xC3]) == #""\xFFaé\xE2\x82b\xC3""#)
  }

  @Test func `a long text is cut after 40 characters`() {
    let forty = String(repeating: "é", count: 40)
    #expect(quote(forty) == "\"\(forty)\"")
    #expect(quote(forty + "é") == "\"\(forty)…\"")
  }

  @Test func `quotes and backslashes cannot be taken for ours`() {
    #expect(quote(#"a"b\"#) == #""a\"b\\""#)
  }

  @Test func `ordinary text stays as it is`() {
    #expect(quote("größer 👍") == "\"größer 👍\"")
    #expect(quote("") == "\"\"")
  }
}
