import GlueConsole
import GlueTesting
import Testing

@testable import SearchExample

@Suite struct KeyDecoderTests {
  private var decoder = KeyDecoder()

  private mutating func keys(_ text: String) -> [Key] {
    decoder.keys(for: Array(text.utf8))
  }

  @Test("unknown sequences are skipped whole")
  mutating func whatIsNotKnown() {
    for sequence in [
      "\u{1B}[15~", "\u{1B}[1;5A", "\u{1B}OP", "\u{1B}[[A", "\u{1B}[?1;2c",  // keys and a reply
      "\u{1B}[<0;33;12M", "\u{1B}[M \u{7F}q", "\u{1B}[32;10;3M",  // reports of the mouse
      "\u{1B}P+kq\u{1B}\\", "\u{1B}P1+r544e=787465726d\u{1B}\\",
      "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]52;c;cQ==\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\",
    ] {
      #expect(keys(sequence + "a") == [.text("a")], "\(sequence.debugDescription)")
      #expect(sequence.utf8.flatMap { decoder.keys(for: [$0]) }.isEmpty)
    }
  }

  @Test("pasted text is one piece, with its newlines, and not keys")
  mutating func pastedTextIsOne() {
    #expect(
      keys("a\u{1B}[200~b\r\nc\u{1B}[A~\u{1B}[201~\rd")
        == [.text("a"), .text("b\r\nc\u{1B}[A~"), .enter, .text("d")])
    #expect(keys("\u{1B}[200~pa").isEmpty)
    #expect(!decoder.isUndecided)
    #expect(keys("ste\u{1B}[201") == [])
    #expect(keys("~") == [.text("paste")])
  }

  @Test(
    "Ctrl-C counts everywhere",
    arguments: [
      "", "\u{1B}", "\u{1B}[", "\u{1B}O", "\u{1B}[1;", "\u{1B}[M", "\u{1B}]0;", "\u{1B}P",
      "\u{1B}[200~text",
    ])
  mutating func ctrlCIsOne(begun: String) {
    #expect(keys(begun + "\u{3}").last == .control("C"))
    #expect(keys("a") == [.text("a")])
  }

  @Test("keys have either mode's sequences, and may come in pieces")
  mutating func keysHaveTheSequences() {
    for (sequence, key) in [
      ("\u{1B}[A", Key.up), ("\u{1B}OA", .up), ("\u{1B}[B", .down), ("\u{1B}OB", .down),
      ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}[4~", .end),
    ] {
      #expect(keys(sequence) == [key])
      #expect(sequence.utf8.flatMap { decoder.keys(for: [$0]) } == [key])
    }
  }

  @Test("text is typed, and keys within it count in their order")
  mutating func textIsTypedAnd() {
    #expect(
      keys("añ漢\u{7F}b\r\u{15}")
        == [.text("añ漢"), .backspace, .text("b"), .enter, .control("U")])
  }

  @Test("Escape is a key if nothing follows, or nothing that a sequence has")
  mutating func theEscapeKeyIs() {
    #expect(keys("\u{1B}").isEmpty)
    #expect(decoder.isUndecided)
    #expect(decoder.decide() == [.escape])
    #expect(!decoder.isUndecided)
    #expect(keys("\u{1B}x") == [.escape, .text("x")])
    #expect(keys("\u{1B}\u{1B}[A") == [.escape, .up])
  }

  @Test(
    "a key pressed with Alt does not swallow the next ones",
    arguments: ["\u{1B}[", "\u{1B}O", "\u{1B}P", "\u{1B}]"])
  mutating func aKeyPressedWith(begun: String) {
    #expect(keys(begun).isEmpty)
    #expect(decoder.isUndecided)
    #expect(decoder.decide().isEmpty)
    #expect(keys("a") == [.text("a")])
  }

  @Test("a character may come in pieces, and invalid UTF-8 does no harm")
  mutating func aCharacterMayCome() {
    let pieces: [[UInt8]] = [[0x61, 0xE6], [0xBC], [0xA2, 0xFF, 0x62], [0x80, 0x80, 0x80, 0x63]]
    #expect(
      pieces.map { decoder.keys(for: $0) } == [
        [.text("a")], [], [.text("漢\u{FFFD}b")], [.text("\u{FFFD}\u{FFFD}\u{FFFD}c")],
      ])
  }

  @Test("it still works after random bytes")
  mutating func randomBytesLeaveIt() {
    var random = Xorshift(seed: 1)
    for _ in 1...2_000 {
      let bytes = (0..<20).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random)
          : "\u{1B}[]PMO20~\\".utf8.randomElement(using: &random)!
      }
      _ = decoder.keys(for: bytes)
      #expect(decoder.keys(for: [0x03]).last == .control("C"), "\(bytes)")
    }
    #expect(keys("\u{1B}[A") == [.up])
  }
}
