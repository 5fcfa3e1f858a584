import TerminalSupport
import Testing

@testable import CounterExample

@Suite struct LineReaderTests {
  /// The lines of an input that arrives in these pieces.
  private func lines(_ pieces: [String]) throws -> [Line] {
    var rest = pieces[...]
    var reader = LineReader { Array((rest.popFirst() ?? "").utf8) }
    var lines: [Line] = []
    while let line = try reader.next() { lines.append(line) }
    return lines
  }

  private func texts(_ pieces: String...) throws -> [String] {
    try lines(pieces).map { String(decoding: $0.content, as: UTF8.self) }
  }

  @Test func `lines may come in pieces, and several in one piece`() throws {
    #expect(
      try texts("incr", "ement", "\n+\n-\nde", "crement\n", "\n") == [
        "increment", "+", "-", "decrement", "",
      ])
  }

  @Test func `a last line needs no newline, and a newline begins none`() throws {
    #expect(try texts("+\n-") == ["+", "-"])
    #expect(try texts("+\n-\n") == ["+", "-"])
    #expect(try texts("\n") == [""])
    #expect(try texts() == [])
  }

  @Test func `every line has its number, empty ones too`() throws {
    #expect(try lines(["a\n\n", "b\nc"]).map(\.number) == [1, 2, 3, 4])
  }

  @Test func `nothing is read after the end`() throws {
    var ends = 0
    var reader = LineReader {
      ends += 1
      return ends == 1 ? [UInt8(ascii: "+")] : []
    }
    while try reader.next() != nil {}
    #expect(try reader.next() == nil)
    #expect(ends == 2)
  }

  @Test func `a line that was read before a failure is not lost`() throws {
    let failure = SystemError("read", code: 5)
    var pieces: [[UInt8]] = [Array("+\n".utf8)]
    var reader = LineReader { () throws(SystemError) in
      if pieces.isEmpty { throw failure }
      return pieces.removeFirst()
    }
    #expect(try reader.next()?.content == [UInt8(ascii: "+")])
    #expect(throws: failure) { try reader.next() }
  }
}
