import Foundation
import ProcessSupport
import Testing

extension ProcessTests {
  @Suite struct PipedTests {
    private func run(_ input: String) throws -> PipedProgram.Result {
      try PipedProgram(counterExample).finish(input: Data(input.utf8))
    }

    private func badLine(_ number: Int, _ text: String) -> String {
      """
      CounterExample: line \(number): \(text) is not a command; \
      expected +, -, increment, decrement or q\n
      """
    }

    @Test("a bad line is reported and the rest still runs")
    func aBadLineIs() throws {
      #expect(
        try run("+\n\nfoo\n \t\r\n+\n")
          == .init(
            output: "Counter: 1\nCounter: 2\n", errors: badLine(3, "\"foo\""), ending: .exit(1)))
    }

    @Test("invalid UTF-8, NUL bytes and control characters do no harm")
    func invalidUTF8NUL() throws {
      let input = Data([0xFF, 0x0A, 0x00, 0x0A, 0x2B, 0x00, 0x0A, 0x1B, 0x5B, 0x41, 0x0A, 0x2B])
      let errors = ["\"\u{FFFD}\"", #""\0""#, #""+\0""#, #""\u{1B}[A""#].enumerated()
      #expect(
        try PipedProgram(counterExample).finish(input: input)
          == .init(
            output: "Counter: 1\n", errors: errors.map { badLine($0 + 1, $1) }.joined(),
            ending: .exit(1)))
    }

    @Test("with a journal, it continues where it was, however it ended")
    func withAJournalIt() throws {
      let directory = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let killed = try PipedProgram(counterExample, ["--journal", directory])
      try killed.send("+\n+\n")
      #expect(try killed.receive(22) == "Counter: 1\nCounter: 2\n")
      kill(killed.process, SIGKILL)
      _ = try killed.finish()
      for count in [3, 4] {
        let program = try PipedProgram(counterExample, ["--journal", directory])
        #expect(try program.finish(input: Data("+\n".utf8)) == .init(output: "Counter: \(count)\n"))
      }
      let refused = try PipedProgram(counterExample, ["--journal", "/dev/null"]).finish()
      #expect(refused.ending == .exit(1))
      #expect(refused.errors.hasPrefix("CounterExample: /dev/null"))
    }

    @Test("a line of 10 MB does no harm")
    func aLineOf10() throws {
      let text = Data(repeating: UInt8(ascii: "x"), count: 10_000_000) + Data("\n+\n".utf8)
      let shown = "\"\(String(repeating: "x", count: 40))…\""
      #expect(
        try PipedProgram(counterExample).finish(input: text)
          == .init(
            output: "Counter: 1\n", errors: badLine(1, shown), ending: .exit(1)))
    }

    @Test("text after more blanks than are kept still counts")
    func whatFollowsSoMany() throws {
      let blanks = String(repeating: " ", count: 100_000)
      let result = try run("+\(blanks)x\n+\n")
      #expect((result.output, result.ending) == ("Counter: 1\n", .exit(1)))
    }

    @Test(
      "only exact commands are commands",
      arguments: ["++", "+ +", "Q", "quit", "Increment", "k", "\u{FE62}"])
    func whatIsNoCommand(text: String) throws {
      #expect(try run(text) == .init(errors: badLine(1, "\"\(text)\""), ending: .exit(1)))
    }

    @Test("any number of blanks, and a carriage return, may surround a command")
    func blanksAndACarriage() throws {
      let blanks = String(repeating: " \t", count: 1_000)
      #expect(try run("\(blanks)increment\(blanks)\r\n").output == "Counter: 1\n")
    }

    @Test("lines may come in pieces, and the last one needs no end")
    func linesMayComeIn() throws {
      let program = try PipedProgram(counterExample)
      try program.send("+\nincr")
      #expect(try program.receive(11) == "Counter: 1\n")
      try program.send("ement\n")
      #expect(try program.receive(11) == "Counter: 2\n")
      #expect(try program.finish(input: Data("-".utf8)).output == "Counter: 1\n")
    }

    @Test("a dumb terminal is treated as a pipe")
    func aDumbTerminalIs() throws {
      let session = try JobSession(counterExample, start: "TERM=dumb run")
      session.terminal.type("+\n")
      #expect(try session.terminal.read(until: "Counter: 1").allSatisfy { $0 != "\u{1B}" })
      session.terminal.type("q\n")
      try session.expect(status: 0)
    }

    @Test("a closed output pipe ends it quietly, with input still to come")
    func aClosedOutputPipe()
      throws
    {
      let program = try PipedProgram(counterExample)
      try program.closeOutput()
      try program.send("+\n")
      #expect(try program.result() == .init())
    }

    @Test("a closed output pipe does not hide an earlier bad line")
    func aClosedOutputPipeDoes()
      throws
    {
      let program = try PipedProgram(counterExample)
      try program.closeOutput()
      try program.send("foo\n+\n")
      #expect(try program.result() == .init(errors: badLine(1, "\"foo\""), ending: .exit(1)))
    }

    @Test("output that cannot be written is an error")
    func outputThatCannotBe() throws {
      let program = try PipedProgram(counterExample) { files in
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/full", O_WRONLY, 0)
      }
      let message = "CounterExample: standard output: No space left on device\n"
      #expect(
        try program.finish(input: Data("+\n".utf8)) == .init(errors: message, ending: .exit(1)))
    }

    @Test("input that cannot be read is an error")
    func inputThatCannotBe() throws {
      let directory = try PipedProgram(counterExample) { files in
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/", O_RDONLY, 0)
      }
      let closed = try PipedProgram(counterExample) { files in
        posix_spawn_file_actions_addclose(&files, STDIN_FILENO)
      }
      let message = "CounterExample: standard input: "
      #expect(
        try directory.finish() == .init(errors: "\(message)Is a directory\n", ending: .exit(1)))
      #expect(
        try closed.finish() == .init(errors: "\(message)Bad file descriptor\n", ending: .exit(1)))
    }

    @Test("errors that cannot be written change nothing else")
    func errorsThatCannotBe() throws {
      let program = try PipedProgram(counterExample) { files in
        posix_spawn_file_actions_addclose(&files, STDERR_FILENO)
      }
      #expect(
        try program.finish(input: Data("foo\n+\n".utf8))
          == .init(
            output: "Counter: 1\n", ending: .exit(1)))
    }

    @Test("each command is answered before the next one is sent")
    func eachCommandIsAnswered() throws {
      let program = try PipedProgram(counterExample)
      for value in 1...4 {
        try program.send("+\n")
        #expect(try program.receive(11) == "Counter: \(value)\n")
      }
      #expect(try program.finish() == .init())
    }

    @Test("q ends it at once, even if the input continues or stays open")
    func qEndsItAt()
      throws
    {
      let program = try PipedProgram(counterExample)
      try program.send("+\nq\nfoo\n+\n")
      #expect(try program.receive(100) == "Counter: 1\n")
      #expect(try program.result() == .init())
    }

    @Test("a decrement at 0 is answered too")
    func aDecrementAt0() throws {
      #expect(try run("-\ndecrement\n").output == "Counter: 0\nCounter: 0\n")
    }

    @Test("the bell follows each multiple of 5 that an increment reaches")
    func theBellFollowsEach()
      throws
    {
      #expect(
        try run("+\n+\n+\n+\n+\nincrement\n-\n-\n+")
          == .init(
            output: """
              Counter: 1\nCounter: 2\nCounter: 3\nCounter: 4\nCounter: 5\n\u{7}\
              Counter: 6\nCounter: 5\nCounter: 4\nCounter: 5\n\u{7}
              """))
    }

    @Test("no input, no output")
    func noInputNoOutput() throws {
      #expect(try run("") == .init())
    }
  }
}
