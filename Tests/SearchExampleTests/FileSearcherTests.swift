import Foundation
import TerminalSupport
import Testing

@testable import SearchExample

@Suite struct FileSearcherTests {
  private let tree: TemporaryTree

  init() throws {
    tree = try TemporaryTree()
  }

  /// The lines found in a file of these bytes by a searcher with a small buffer.
  private func lines(
    with pattern: String, in bytes: [UInt8], bufferSize: Int = 16
  ) throws -> [Found] {
    try tree.write(bytes, to: Array("file".utf8))
    defer { unlink("\(tree.path)/file") }
    var lines: [Found] = []
    let searcher = FileSearcher(pattern: Pattern(pattern.utf8), bufferSize: bufferSize)
    _ = try searcher.search(tree.file("file"), isCancelled: { false }) {
      lines.append(Found($0, in: .workingDirectory))
    }
    return lines
  }

  private func lines(with pattern: String, in text: String) throws -> [Found] {
    try lines(with: pattern, in: Array(text.utf8))
  }

  @Test func `each line with the pattern is found once, with its number`() throws {
    #expect(
      try lines(with: "ab", in: "ab ab\n\nxxab\ncd\nab") == [
        Found(1, "ab ab"), Found(3, "xxab"), Found(5, "ab"),
      ])
  }

  @Test func `the end of the file ends a line, and an empty file has none`() throws {
    #expect(try lines(with: "a", in: "a") == [Found(1, "a")])
    #expect(try lines(with: "", in: "\n\na") == [Found(1, ""), Found(2, ""), Found(3, "a")])
    #expect(try lines(with: "", in: "").isEmpty)
  }

  @Test(arguments: 2...40)
  func `it does not matter where the window's edges fall`(size: Int) throws {
    let long = String(repeating: "x", count: 33)
    let all = [
      "a needle", long, "\(long)needle\(long)", "", "needle", "nee", "dle\(long)", "needl",
    ]
    let expected = all.enumerated().filter { $1.contains("needle") }.map { Found($0 + 1, $1) }
    let text = Array(all.joined(separator: "\n").utf8)
    #expect(try lines(with: "needle", in: text, bufferSize: size) == expected)
    #expect(try lines(with: "needle", in: text + [newline], bufferSize: size) == expected)
  }

  @Test func `a line of 20 MB is found as a whole, in memory that does not grow`() throws {
    var text = [UInt8](repeating: UInt8(ascii: "x"), count: 20_000_000)
    text.replaceSubrange(11_000_000..<11_000_006, with: Array("needle".utf8))
    let found = try lines(with: "needle", in: Array("\n".utf8) + text, bufferSize: 65_536)
    #expect(found == [Found(2, String(decoding: text, as: UTF8.self))])
  }

  @Test func `a NUL in the first 8 KiB makes a file binary, and a later one does not`() throws {
    var text = [UInt8](repeating: newline, count: 9_000) + Array("needle".utf8)
    text[8_192] = 0
    #expect(try lines(with: "needle", in: text, bufferSize: 100_000).count == 1)
    text[8_191] = 0
    #expect(try lines(with: "needle", in: text, bufferSize: 100_000).isEmpty)
  }

  @Test func `what is not UTF-8 is matched byte by byte`() throws {
    let found = try lines(with: "é", in: [0xFF, 0xC3, 0xA9, 0xFE, newline, 0xC3])
    #expect(found == [Found(1, "\u{FFFD}é\u{FFFD}")])
  }

  @Test func `a file that has vanished, a link, a directory and a pipe are errors`() throws {
    try tree.link("link", to: "/etc/passwd")
    mkfifo("\(tree.path)/pipe", 0o600)
    mkdir("\(tree.path)/directory", 0o700)
    let searcher = FileSearcher(pattern: Pattern([]))
    for (name, code) in [("none", ENOENT), ("link", ELOOP), ("directory", EISDIR)] {
      let error = #expect(throws: SystemError.self) {
        try searcher.search(tree.file(name), isCancelled: { false }) { _ in }
      }
      #expect(error?.code == code)
    }
    _ = try searcher.search(tree.file("pipe"), isCancelled: { false }) { _ in }
  }

  @Test func `a cancelled search ends after the window that it has`() throws {
    let text = String(repeating: "needle\n", count: 10_000)
    try tree.write(Array(text.utf8), to: Array("file".utf8))
    var count = 0
    let searcher = FileSearcher(pattern: Pattern("needle".utf8), bufferSize: 700)
    _ = try searcher.search(tree.file("file"), isCancelled: { true }) { _ in count += 1 }
    #expect(count == 100)
  }
}
