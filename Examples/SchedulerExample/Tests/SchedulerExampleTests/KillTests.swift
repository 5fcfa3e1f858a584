import Foundation
import Testing

@testable import SchedulerExample

/// The daemon, killed while its commands run.
@Suite("Kills of the daemon") struct KillTests {
  private let folder = TemporaryFolder()

  /// Starts the daemon, whose end is a line too.
  private func daemon(_ lines: FileHandle) throws -> (Process, FileHandle) {
    let (program, pipe) = (Process(), Pipe())
    program.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
      .appending(path: "SchedulerExample")
    program.arguments = [
      "serve", folder.path + "/jobs.json", "--directory", folder.path, "--port", "0",
    ]
    program.standardError = pipe
    program.terminationHandler = { _ in lines.write(Data("ended\n".utf8)) }
    try program.run()
    try pipe.fileHandleForWriting.close()
    return (program, pipe.fileHandleForReading)
  }

  @Test("after forty kills no command has run twice at once, and a service's end leaves none")
  func kills() async throws {
    // A directory is made by one process at a time.
    let script = """
      mkdir running || echo twice >>twice
      trap 'rmdir running; exit' TERM
      echo begun >>begun.pipe
      sleep 1000000 &
      wait
      """
    let definition = Definition(
      name: "job", command: ["/bin/sh", "-c", "cd '\(folder.path)'\n" + script], every: 1)
    try JSONEncoder().encode(Definitions(jobs: [definition]))
      .write(to: URL(filePath: folder.path + "/jobs.json"))
    try #require(mkfifo(folder.path + "/begun.pipe", 0o600) == 0)
    let pipe = try FileHandle(forUpdating: URL(filePath: folder.path + "/begun.pipe"))
    for kill in 1...41 {
      let (program, log) = try daemon(pipe)
      let line = try pipe.read(upToCount: 6) ?? Data()
      try #require(line == Data("begun\n".utf8), "the daemon ended at its start")
      Foundation.kill(program.processIdentifier, kill < 41 ? SIGKILL : SIGTERM)
      program.waitUntilExit()
      try #require(try pipe.read(upToCount: 6) == Data("ended\n".utf8))
      if kill == 41 { #expect(program.terminationStatus == 0) }
      try log.close()
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/twice"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/running"))
  }
}
