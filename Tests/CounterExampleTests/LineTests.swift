import Testing

@testable import CounterExample

@Suite struct LineTests {
  private func line(_ pieces: String...) -> Line {
    var line = Line(number: 1)
    for piece in pieces { line.append(Array(piece.utf8)[...]) }
    return line
  }

  @Test func `only the beginning of a long line is kept`() {
    let part = String(repeating: "x", count: 200)
    let long = line(part, part, part)
    #expect(long.isCut)
    #expect(long.content.count < 300)
    #expect(long.content.allSatisfy { $0 == UInt8(ascii: "x") })
  }

  @Test func `blanks do not make a line long, what follows them does`() {
    let blanks = String(repeating: " ", count: 1_000)
    #expect(!line(blanks, "+", blanks).isCut)
    #expect(line(blanks, "+", blanks).content == [UInt8(ascii: "+")])
    #expect(line("+", blanks, "+").isCut)
    #expect(line(blanks).content.isEmpty)
  }

  @Test func `blanks within a line are kept`() {
    #expect(line(" a", " ", "b\t\r").content.elementsEqual("a b".utf8))
  }
}
