import Foundation
import ProcessSupport
import Testing

@testable import SearchExample

extension ProcessTests {
  @Suite struct PlainTests {
    private func run(_ arguments: String...) throws -> PipedProgram.Result {
      try PipedProgram(searchExample, arguments).finish()
    }

    @Test(
      "it prints what grep prints, for nasty names and contents",
      arguments: ["needle", "", "e", "[x]", "漢字", "not there", "needle 1", "\u{1B}"])
    func itPrintsWhatGrep(pattern: String) throws {
      let tree = try nastyTree()
      let result = try run("--plain", pattern, tree.path)
      let lines = try grep(pattern, in: tree.path)
      let printed = sortedLines(result.output)
      #expect(printed.count == lines.count)
      #expect(zip(printed, lines).first { $0 != $1 }.map { "\($0)".prefix(500) } == nil)
      #expect(result.errors.isEmpty)
      #expect(result.ending == .exit(lines.isEmpty ? 1 : 0))
    }

    @Test("a directory that cannot be read is an error, as it is for grep")
    func aDirectoryThatCannot() throws {
      #expect(
        try run("--plain", "x", "/no\u{1B}thing")
          == .init(
            errors: "SearchExample: /no␛thing: No such file or directory\n", ending: .exit(2)))
    }

    @Test("without --plain the pattern is the first line of the input")
    func withoutPlainThePattern() throws {
      let tree = try TemporaryTree(["a": "one\ntwo\n"])
      let found = try PipedProgram(searchExample, [tree.path]).finish(
        input: Data("two\none\n".utf8))
      #expect(found == .init(output: "\(tree.path)/a:2:two\n"))
      let none = try PipedProgram(searchExample, [tree.path]).finish()
      #expect(
        none
          == .init(
            errors: "SearchExample: standard input has no pattern, or one longer than 64 KiB\n",
            ending: .exit(2)))
    }

    @Test("a closed pipe ends it as it ends grep, and a full device is an error")
    func aClosedPipeEnds() throws {
      let tree = try TemporaryTree(["a": "needle"])
      let unread = try PipedProgram(searchExample, [tree.path])
      try unread.closeOutput()
      try unread.send("needle\n")
      #expect(try unread.result().ending == .signal(SIGPIPE))
      let full = try PipedProgram(searchExample, ["--plain", "needle", tree.path]) { files in
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/full", O_WRONLY, 0)
      }
      let message = "SearchExample: cannot write to standard output: No space left on device\n"
      #expect(try full.finish() == .init(errors: message, ending: .exit(2)))
    }

    @Test("a terminal is not steered by what it prints")
    func aTerminalIsNot() throws {
      let tree = try TemporaryTree(["n\u{1B}[2Jame": "\u{7}needle\u{9B}31m\n"])
      let terminal = try PseudoTerminal(running: searchExample, ["--plain", "needle", tree.path])
      #expect(try terminal.read(until: "\n") == "\(tree.path)/n␛[2Jame:1:␇needle\u{FFFD}31m\r")
    }

    @Test("a terminal's last line shows the progress, and disappears at the end")
    func theLastLineSays() throws {
      let files = (0..<64).map { ("\($0)", $0 == 7 ? "needle\n" : "hay\n") }
      let tree = try TemporaryTree(Dictionary(uniqueKeysWithValues: files))
      let terminal = try PseudoTerminal(running: searchExample, ["--plain", "needle", tree.path])
      let before = try terminal.read(until: "64 of 64 files\u{1B}[?7h")
      let after = try terminal.read(until: "\r\u{1B}[K")
      #expect((before + after).contains("\(tree.path)/7:1:needle\r\n"))
    }

    @Test(
      "what follows --plain is a pattern, even if it looks like an option",
      arguments: [["-h"], ["--", "-h"]])
    func whatFollowsPlainIs(
      pattern: [String]
    ) throws {
      let tree = try TemporaryTree(["a": "-h\n"])
      let result = try PipedProgram(searchExample, ["--plain"] + pattern + [tree.path]).finish()
      #expect(result == .init(output: "\(tree.path)/a:1:-h\n"))
    }

    @Test("the output file is not searched, which is an error as for grep")
    func whatIsWrittenIs()
      throws
    {
      let tree = try TemporaryTree(["in": "needle\n", "out": "needle\n"])
      let program = try PipedProgram(searchExample, ["--plain", "needle", tree.path]) { files in
        posix_spawn_file_actions_addopen(
          &files, STDOUT_FILENO, "\(tree.path)/out", O_WRONLY | O_APPEND, 0)
      }
      let errors = "SearchExample: \(tree.path)/out: input file is also the output\n"
      #expect(try program.finish() == .init(errors: errors, ending: .exit(2)))
      let written = try String(contentsOfFile: "\(tree.path)/out", encoding: .utf8)
      #expect(written == "needle\n\(tree.path)/in:1:needle\n")
    }
  }
}
