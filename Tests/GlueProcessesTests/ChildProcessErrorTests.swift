import Foundation
import GlueProcesses
import Testing

@Suite("An error names the command or the file, and what was expected")
struct ChildProcessErrorTests {
  @Test(
    "for a command that can't be started",
    arguments: [
      (
        "/nowhere/pg_dump", ChildProcessError.Kind.notFound, "/nowhere/pg_dump: not found; the path"
      ),
      ("pg_dump", .notFound, "pg_dump: not found; the path"),
      ("/etc/passwd/dump", .notFound, "/etc/passwd/dump: not found"),
      ("/etc/passwd", .notExecutable, "/etc/passwd: not executable (Permission denied); a program"),
      ("/etc", .notExecutable, "/etc: not executable"),
    ])
  func start(command: String, kind: ChildProcessError.Kind, text: String) async {
    let error = await #expect(throws: ChildProcessError.self) {
      try await ChildProcess(command).run()
    }
    #expect(error?.kind == kind)
    #expect(error?.description.hasPrefix(text) == true, "\(error?.description ?? "")")
  }

  @Test("for the files of the output and the lock")
  func files() async throws {
    let missing = try Playground().path + "/missing/file"
    for child in [
      ChildProcess("/bin/true", output: missing), ChildProcess("/bin/true", lock: missing),
    ] {
      let error = await #expect(throws: ChildProcessError.self) { try await child.run() }
      #expect(error?.kind == .noFile)
      #expect(
        error?.description
          == "\(missing), a file of /bin/true: cannot be opened: No such file or directory")
    }
    let error = #expect(throws: ChildProcessError.self) {
      try ChildProcess.isRunning(lock: "/etc/passwd/lock")
    }
    #expect(error?.description == "/etc/passwd/lock: cannot be opened: Not a directory")
  }
}
