import Foundation
import Glue
import Testing

@testable import GlueInspector

@Suite("A page")
struct PageTests {
  private static let hostile = [
    "</script><script>alert(1)</script>", "<!--<script>", "\"'`\\", "\u{2028}\u{2029}",
    "\u{0}\u{1F}\u{7F}",
    "\u{202E}", "a\r\nb", "𝄞é漢", String(decoding: [0xED, 0xA0, 0x80], as: UTF8.self),
  ]

  @Test("a text is JSON in one line, without anything that could end a script", arguments: hostile)
  func quoting(text: String) throws {
    let json = quoted(text)
    #expect(try object("{\"text\":\(json)}")["text"] as? String == text)
    #expect(!json.contains("<"))
    #expect(json.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count == 1)
  }

  @Test("a program's values are only in the data, where no element begins or ends")
  func data() throws {
    let inspector = Inspector<Names>()
    let store = namesStore(inspector)
    for text in Self.hostile { store.dispatch(NamesIntent.type(text)) }
    let file = TemporaryFile()
    try inspector.writePage(to: file.path)
    let parts = try file.text.components(separatedBy: "<script type=\"text/plain\" id=\"data\">")
    let data = try #require(parts.last?.components(separatedBy: "</script>\n<script>").first)
    #expect(parts.count == 2 && !data.contains("<"))
    #expect(data.components(separatedBy: "\n").dropFirst() == inspector.lines[...])
    let empty = String(decoding: makePage(of: "Names", limit: 10_000), as: UTF8.self)
    let frame = try file.text.replacing(data, with: "")
    #expect(frame == empty.replacing(#/\{"state":"Names",.*?\}(?=<)/#, with: ""))
  }

  @Test("its policy names its script and its style")
  func hashes() throws {
    let page = Inspector<Names>().page(live: "/events")
    let script = try #require(page.firstMatch(of: #/<script>((?s:.*?))<\/script>/#)).1
    let style = try #require(page.firstMatch(of: #/<style>((?s:.*?))<\/style>/#)).1
    #expect(try page.contains("script-src 'sha256-\(systemSHA256(Data(script.utf8)))'"))
    #expect(try page.contains("style-src 'sha256-\(systemSHA256(Data(style.utf8)))'"))
  }

  @Test("its hashes match the system's", arguments: [0, 1, 55, 56, 63, 64, 65, 1000])
  func sums(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151) }
    #expect(try sha256(bytes) == systemSHA256(Data(bytes)))
  }

  /// In Base64, by tools that every Linux has.
  private func systemSHA256(_ data: Data) throws -> String {
    let file = TemporaryFile()
    try data.write(to: URL(filePath: file.path))
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sha256sum", file.path]
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    var digits = String(decoding: output, as: UTF8.self).prefix(64)
    var bytes = Data()
    while let byte = UInt8(digits.prefix(2), radix: 16) {
      bytes.append(byte)
      digits = digits.dropFirst(2)
    }
    return bytes.base64EncodedString()
  }

  @Test(
    "a live page connects only to the origin of its address",
    arguments: [
      ("/events", "'self'"), ("events", "'self'"), ("//evil.example/a", "'self'"),
      ("http://localhost:8080/events", "http://localhost:8080"),
      ("https://[::1]:8/a?b#c", "https://[::1]:8"), ("https://a.example", "https://a.example"),
      ("http://a; script-src *\"><script>/b", "http://a"), ("javascript:a//b/c/d", "'self'"),
    ])
  func live(address: String, source: String) throws {
    let page = Inspector<Names>().page(live: address)
    let policy = try #require(page.firstMatch(of: #/Policy" content="([^"]*)">/#)).1
    #expect(policy.contains("; connect-src \(source); base-uri"))
    #expect(policy.components(separatedBy: "script-src").count == 2)
    #expect(page.components(separatedBy: "<script").count == 3)
  }

  @Test("an error of writing a page is thrown")
  func unwritable() {
    #expect(throws: CocoaError.self) {
      try Inspector<Names>().writePage(to: "/nonexistent/folder/run.html")
    }
  }
}
