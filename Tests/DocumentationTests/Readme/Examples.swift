import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing

@testable import ReadmeProgram

// The README's test, word for word; `ReadmeTests` compares it and the programs with the README.

@Test func theFifthIncrementRings() {
  expect(counter, from: Counter(value: 4), when: .increment, effects: [CounterEffect.ring]) {
    $0.value = 5
  }
}

extension ProcessTests {
  @Suite("The README's programs")
  struct ReadmeProgramTests {
    private let directory = TemporaryDirectory()

    /// Starts a program in a terminal, in the directory where its journal is.
    private func start(_ program: String) throws -> PseudoTerminal {
      try PseudoTerminal(
        running: "/bin/sh",
        ["-c", #"cd "$0" && exec "$1""#, directory.path, builtProgram(program)])
    }

    /// Enters empty lines until the counter shows a number, which the counter rings at.
    private func count(_ numbers: ClosedRange<Int>, in program: PseudoTerminal) throws {
      for number in numbers {
        program.type("\n")
        let before = try program.read(until: "Counter: \(number)\r\n")
        #expect(!before.contains("\u{7}"))
      }
      try program.read(until: "\u{7}")
    }

    @Test("the counter rings at every fifth, takes 1 away for a -, and begins at 0 after a kill")
    func counterIsKilled() throws {
      let program = try start("ReadmeProgram")
      try program.read(until: "Counter: 0\r\n")
      try count(1...5, in: program)
      program.type("-\n")
      try program.read(until: "Counter: 4\r\n")
      #expect(program.end(by: SIGKILL) == .signal(SIGKILL))
      try start("ReadmeProgram").read(until: "Counter: 0\r\n")
    }

    @Test("with a journal, it continues after each kill, and rings no bell again")
    func survivorIsKilled() throws {
      for first in [0, 5, 10] {
        let program = try start("SurvivingProgram")
        #expect(try program.read(until: "Counter: \(first)\r\n") == "")
        try count(first + 1...first + 5, in: program)
        #expect(program.end(by: SIGKILL) == .signal(SIGKILL))
      }
    }

    @Test("the README's transcript is what a terminal shows")
    func transcript() throws {
      var program: PseudoTerminal?
      let transcript = try blocks("console", ofMarkdown: text("README.md")).joined(separator: "\n")
      for line in transcript.components(separatedBy: "\n") {
        switch line {
        case "$ swift run App": program = try start("SurvivingProgram")
        case "": program?.type("\n")
        case _ where line.hasPrefix("Killed "):
          #expect(program?.end(by: SIGKILL) == .signal(SIGKILL))
        default: try #require(program).read(until: line + "\r\n")
        }
      }
    }
  }
}
