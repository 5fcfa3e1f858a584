import Foundation
import ProcessSupport
import Testing

@testable import CounterExample

extension ProcessTests {
  @Suite struct ProgramTests {
    @Test(
      "anything but a lone help option is reported with the usage",
      arguments: [
        ["--halp", "\u{1B}"], [""], ["--help", "--help"], ["+"], ["--", "-h"], ["--journal"],
      ])
    func anythingButALone(
      arguments: [String]
    ) throws {
      let program = try PipedProgram(counterExample, arguments)
      try program.send("+\n")
      let errors = """
        CounterExample: unknown arguments \(arguments.joined(separator: " ").debugDescription)
        Usage: CounterExample [--journal DIRECTORY | -h | --help]\n
        """
      #expect(try program.finish() == .init(errors: errors, ending: .exit(64)))
    }

    @Test("help is quiet about a closed pipe, not about a full device")
    func helpIsQuietAbout()
      throws
    {
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let unread = try PipedProgram(counterExample, ["--help"]) { files in
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        posix_spawn_file_actions_adddup2(&files, descriptor, STDOUT_FILENO)
      }
      let full = try PipedProgram(counterExample, ["--help"]) { files in
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/full", O_WRONLY, 0)
      }
      #expect(try unread.finish() == .init())
      #expect(try full.finish().ending == .exit(1))
    }

    @Test(
      "help lists every command, key and status, in lines that fit", arguments: ["-h", "--help"])
    func helpTellsOfEvery(option: String) throws {
      let result = try PipedProgram(counterExample, [option]).finish()
      #expect(result == .init(output: "\(help)\n"))
      for text in [
        "+, increment", "-, decrement", "+, up, k", "-, down, j", "q, Ctrl-C, Ctrl-D", "Ctrl-Z",
        "U+0007", "Counter: N", "0  ", "1  ", "64  ",
      ] {
        #expect(result.output.contains(text))
      }
      #expect(result.output.split(separator: "\n").allSatisfy { $0.count < 90 })
    }
  }
}
