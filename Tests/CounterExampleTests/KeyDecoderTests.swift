import Testing

@testable import CounterExample

@Suite struct KeyDecoderTests {
  private func commands(_ keys: String) -> [Command] {
    var decoder = KeyDecoder()
    return keys.utf8.compactMap { decoder.command(for: $0) }
  }

  @Test func `an escape key pressed alone does not swallow the next key`() {
    #expect(commands("\u{1B}+") == [.send(.increment)])
    #expect(commands("\u{1B}\u{1B}q") == [.quit])
    #expect(commands("\u{1B}\u{1B}[B") == [.send(.decrement)])
  }

  @Test func `an unknown sequence is ignored to its end`() {
    #expect(commands("\u{1B}[1;5A\u{1B}[15~\u{1B}[3~\u{1B}OP\u{1B}[[A\u{1B}[C").isEmpty)
    #expect(commands("\u{1B}[15~+") == [.send(.increment)])
    #expect(commands("\u{1B}[k\u{1B}[q\u{1B}[1q").isEmpty)
  }

  @Test(arguments: ["", "\u{1B}", "\u{1B}[", "\u{1B}O", "\u{1B}[1;"])
  func `Ctrl-C and Ctrl-D quit, even within a sequence`(begun: String) {
    #expect(commands(begun + "\u{3}") == [.quit])
    #expect(commands(begun + "\u{4}") == [.quit])
  }

  @Test func `arrows count in both of a terminal's modes`() {
    #expect(commands("\u{1B}[A\u{1B}OA") == [.send(.increment), .send(.increment)])
    #expect(commands("\u{1B}[B\u{1B}OB") == [.send(.decrement), .send(.decrement)])
  }

  @Test func `plain keys count and quit`() {
    #expect(commands("+k") == [.send(.increment), .send(.increment)])
    #expect(commands("-j") == [.send(.decrement), .send(.decrement)])
    #expect(commands("q") == [.quit])
  }

  @Test func `other keys do nothing`() {
    #expect(commands("AB[OKJQ é±\r\n\t\0\u{7F}\u{1A}").isEmpty)
  }
}
