import Foundation
import Glue
import GlueDescribing
import Testing

/// Values that describe themselves, Foundation's types and long texts.
@Suite struct SelfDescribingTests {
  private struct Password: CustomStringConvertible {
    var raw = "hunter2"
    var description: String { "<hidden>" }
  }

  private func text(_ value: Any) -> String { shortDescription(of: value, limit: 100) }

  @Test("a type's description is what is shown, of its parts nothing")
  func descriptions() {
    struct Debugged: CustomDebugStringConvertible {
      var raw = "hunter2"
      var debugDescription: String { "<in debugging>" }
    }
    enum Secret: CustomStringConvertible {
      case password(String)
      var description: String { "<secret>" }
    }
    #expect(text([Password()]) == "[<hidden>]")
    #expect(text(Debugged()) == "<in debugging>")
    #expect(text((Secret.password("hunter2"), Password())) == "(<secret>, <hidden>)")
    #expect(
      stateDiff(Optional<Password>.none as Any, Password() as Password? as Any).lines
        == ["nil → <hidden>"])
    #expect(
      stateDiff(Secret.password("a"), Secret.password("b")).lines
        == ["<secret> (no visible difference)"])
    #expect(stateDiff(Secret.password("a"), Secret.password("a")).isEmpty)
  }

  @Test("bytes are shown, with the place where they differ, and not where they are in memory")
  func data() {
    #expect(text(Data([0, 1, 255])) == "3 bytes: 0001ff")
    #expect(stateDiff(Data([0, 1]), Data([0, 2])).lines == ["2 bytes: 0001 → 2 bytes: 0002"])
    let old = Data(repeating: 0, count: 5000)
    var new = old
    new[4000] = 0xAB
    let lines = stateDiff(old, new).lines
    #expect(lines.count == 1)
    #expect(lines.first?.contains("ab00") == true)
    #expect(lines.allSatisfy { $0.count < 250 })
  }

  @Test("an address, an attributed text, a date and an identifier are shown as they say")
  func foundation() throws {
    let url = try #require(URL(string: "https://example.org/a?b=c"))
    #expect(text(url) == "https://example.org/a?b=c")
    #expect(
      stateDiff(url, url.appending(path: "d")).lines
        == ["https://example.org/a?b=c → https://example.org/a/d?b=c"])
    #expect(text(AttributedString("a\nb")).hasPrefix(#"a\nb {"#))
    #expect(text(UUID()).count == 36)
    #expect(
      stateDiff(Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 60)).lines.count == 1)
    #expect(
      stateDiff(Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 0.5)).lines
        == ["1970-01-01 00:00:00 +0000 → 1970-01-01 00:00:00.5 +0000"])
    #expect(text(IndexPath(indexes: [1, 2])) == "[1, 2]")
  }

  @Test("of long texts the part around the first difference is shown")
  func longTexts() throws {
    let start = String(repeating: "x", count: 500)
    let lines = stateDiff(start + "old", start + "new \"end\"", valueLimit: 40).lines
    #expect(lines == [##""…xxxxxxxxold" → "…xxxxxxxxnew \"end\"""##])
    let long = String(repeating: "x", count: 37)
    #expect(
      stateDiff(long + "a", long + "b", valueLimit: 40).lines
        == [#""\#(long)a" → "\#(long)b""#], "with their quotes they just fit")
    let url = try #require(URL(string: "https://example.org/" + start + "/a"))
    let other = try #require(URL(string: "https://example.org/" + start + "/b"))
    let line = try #require(stateDiff(url, other).lines.first)
    #expect(line.hasSuffix("/b"))
    #expect(line.count < 100)
    let text = AttributedString(start + "old")
    #expect(stateDiff(text, AttributedString(start + "new")).lines.first?.contains("new") == true)
    #expect(stateDiff(start + "a", start, valueLimit: 40).lines.count == 1)
  }

  @Test("invisible characters are escaped")
  func unseen() {
    #expect(
      text("a\u{FE0F}\u{3164}\u{34F}\u{A0}\u{202F}\u{2007}\u{E0041}b")
        == #""a\u{FE0F}\u{3164}\u{34F}\u{A0}\u{202F}\u{2007}\u{E0041}b""#)
    #expect(text("日本\u{3000}語 ✓") == "\"日本\u{3000}語 ✓\"")
  }
}
