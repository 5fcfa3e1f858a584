import Testing

@testable import CounterExample

@Suite struct CommandTests {
  private func command(_ text: String) -> Command? {
    var line = Line(number: 1)
    line.append(Array(text.utf8)[...])
    return Command(line: line)
  }

  @Test(arguments: ["", "++", "+ +", "+\0", "\0", "Q", "quit", "Increment", "k", "\u{FE62}"])
  func `what is no command is none`(text: String) {
    #expect(command(text) == nil)
  }

  @Test func `a command at the beginning of a line too long to keep is none`() {
    #expect(command("+" + String(repeating: " ", count: 1_000) + "x") == nil)
  }

  @Test func `blanks and a carriage return around a command do not matter, however many`() {
    let blanks = String(repeating: " \t", count: 1_000)
    #expect(command(blanks + "+" + blanks + "\r") == .send(.increment))
  }

  @Test func `each command has its words`() {
    #expect(["+", "increment"].allSatisfy { command($0) == .send(.increment) })
    #expect(["-", "decrement"].allSatisfy { command($0) == .send(.decrement) })
    #expect(command("q") == .quit)
  }
}
