import Foundation
import Testing

@testable import SearchExample

@Suite struct SearchFileTests {
  private struct Line: Equatable {
    var number: Int
    var text: String

    init(_ number: Int, _ text: String) {
      (self.number, self.text) = (number, text)
    }
  }

  private let tree: TemporaryTree

  init() throws {
    tree = try TemporaryTree()
  }

  /// The lines found in a file of these bytes.
  private func lines(with pattern: String, in bytes: [UInt8]) throws -> [Line] {
    try tree.write(bytes, to: Array("file".utf8))
    defer { unlink("\(tree.path)/file") }
    var lines: [Line] = []
    _ = try searchFile(tree.file("file"), for: Array(pattern.utf8)) { line in
      lines.append(Line(line.number, String(decoding: line.text, as: UTF8.self)))
      #expect(line.text[line.match...].starts(with: pattern.utf8))
    }
    return lines
  }

  private func lines(with pattern: String, in text: String) throws -> [Line] {
    try lines(with: pattern, in: Array(text.utf8))
  }

  @Test("each line with the pattern is found once, with its number")
  func eachLineWithThe() throws {
    #expect(
      try lines(with: "ab", in: "ab ab\n\nxxab\ncd\nab") == [
        Line(1, "ab ab"), Line(3, "xxab"), Line(5, "ab"),
      ])
  }

  @Test("the end of the file ends a line, and an empty file has none")
  func theEndOfThe() throws {
    #expect(try lines(with: "a", in: "a") == [Line(1, "a")])
    #expect(try lines(with: "", in: "\n\na") == [Line(1, ""), Line(2, ""), Line(3, "a")])
    #expect(try lines(with: "", in: "").isEmpty)
  }

  @Test("lines of any length are found, wherever one read ends and the next begins")
  func linesOfAnyLength() throws {
    let all = (0..<2_000).map { index in
      let text = String(repeating: "x", count: index * index % 977 * (index % 500 == 0 ? 999 : 1))
      return index % 3 == 0 ? "\(text)needle\(text)" : text + "needl"
    }
    let expected = all.enumerated().filter { $1.contains("needle") }.map { Line($0 + 1, $1) }
    let text = all.joined(separator: "\n")
    #expect(try lines(with: "needle", in: text) == expected)
    #expect(try lines(with: "needle", in: text + "\n") == expected)
  }

  @Test("a line of 20 MB is found as a whole")
  func aLineOf20() throws {
    var text = [UInt8](repeating: UInt8(ascii: "x"), count: 20_000_000)
    text.replaceSubrange(1_000_000..<1_000_006, with: Array("needle".utf8))
    let found = try lines(with: "needle", in: Array("\n".utf8) + text)
    #expect(found == [Line(2, String(decoding: text, as: UTF8.self))])
  }

  @Test("a long pattern that nearly matches everywhere is found where it matches")
  func aLongPattern() throws {
    let pattern = String(repeating: "a", count: 30_000)
    let text = String(repeating: "\(pattern.dropLast())b", count: 130)
    #expect(try lines(with: pattern, in: text).isEmpty)
    #expect(try lines(with: pattern, in: "\(text)\n\(pattern)") == [Line(2, pattern)])
  }

  @Test("a file is binary from its first NUL on, and text before it")
  func fromANULOn() throws {
    var text = Array(String(repeating: "needle\n", count: 40_000).utf8)
    text[200_000] = 0
    #expect((1..<28_571).contains(try lines(with: "needle", in: text).count))
    text[2_000] = 0
    #expect(try lines(with: "needle", in: text).isEmpty)
  }

  @Test("invalid UTF-8 is matched byte by byte")
  func whatIsNotUTF() throws {
    let found = try lines(with: "é", in: [0xFF, 0xC3, 0xA9, 0xFE, newline, 0xC3])
    #expect(found == [Line(1, "\u{FFFD}é\u{FFFD}")])
  }

  @Test("a vanished file, a link, a directory and a pipe are not searched")
  func aFileThatHas()
    throws
  {
    try tree.link("link", to: "/etc/passwd")
    mkfifo("\(tree.path)/pipe", 0o600)
    mkdir("\(tree.path)/directory", 0o700)
    for (name, code) in [("none", ENOENT), ("link", ELOOP), ("directory", EISDIR)] {
      let error = #expect(throws: SystemError.self) {
        try searchFile(tree.file(name), for: []) { _ in }
      }
      #expect(error?.code == code)
    }
    _ = try searchFile(tree.file("pipe"), for: []) { _ in }
  }

  @Test("a canceled search ends after the part in memory")
  func aCancelledSearchEnds() throws {
    let text = String(repeating: "needle\n", count: 100_000)
    try tree.write(Array(text.utf8), to: Array("file".utf8))
    var count = 0
    _ = try searchFile(tree.file("file"), for: Array("needle".utf8), unless: { true }) { _ in
      count += 1
    }
    #expect((1..<20_000).contains(count))
  }
}
