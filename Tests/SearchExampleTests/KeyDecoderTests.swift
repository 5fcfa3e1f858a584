import Testing

@testable import SearchExample

@Suite struct KeyDecoderTests {
  private var decoder = KeyDecoder()

  private mutating func commands(for text: String) -> [Command] {
    decoder.commands(for: Array(text.utf8))
  }

  @Test mutating func `text is typed, and keys within it count in their order`() {
    #expect(
      commands(for: "añ漢\u{7F}b\r\u{3}")
        == [.send(.type("añ漢")), .send(.erase), .send(.type("b")), .send(.open), .quit])
    #expect(!decoder.isUndecided)
  }

  @Test mutating func `arrows and page keys come in pieces as well`() {
    for (sequence, intent) in [
      ("\u{1B}[A", SearchIntent.move(-1)), ("\u{1B}OB", .move(1)), ("\u{1B}[5~", .movePage(-1)),
      ("\u{1B}[6~", .movePage(1)),
    ] {
      #expect(commands(for: sequence) == [.send(intent)])
      #expect(sequence.flatMap { commands(for: String($0)) } == [.send(intent)])
    }
  }

  @Test mutating func `the escape key is one when nothing follows, or what no sequence has`() {
    #expect(commands(for: "\u{1B}").isEmpty)
    #expect(decoder.isUndecided)
    #expect(decoder.decide() == .send(.clear))
    #expect(!decoder.isUndecided)
    #expect(commands(for: "\u{1B}x") == [.send(.clear), .send(.type("x"))])
    #expect(commands(for: "\u{1B}\u{1B}[A") == [.send(.clear), .send(.move(-1))])
  }

  @Test mutating func `unknown sequences and control characters are ignored`() {
    #expect(commands(for: "\u{1B}[15~\u{1B}[1;5A\u{1B}OP\u{1}\u{0}a") == [.send(.type("a"))])
  }

  @Test mutating func `a sequence that is never completed is given up`() {
    #expect(commands(for: "\u{1B}[1;").isEmpty)
    #expect(decoder.decide() == nil)
    #expect(commands(for: "a") == [.send(.type("a"))])
  }

  @Test mutating func `a character may come in pieces, and what is not UTF-8 does no harm`() {
    let pieces: [[UInt8]] = [[0x61, 0xE6], [0xBC], [0xA2, 0xFF, 0x62], [0x80, 0x80, 0x80, 0x63]]
    #expect(
      pieces.map { decoder.commands(for: $0) } == [
        [.send(.type("a"))], [], [.send(.type("漢\u{FFFD}b"))],
        [.send(.type("\u{FFFD}\u{FFFD}\u{FFFD}c"))],
      ])
  }
}
