import Foundation
import GlueProcesses
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

@Suite("Comments of child processes")
struct ProcessesComments {
  @Test("a backup, of which there is no database and perhaps no program here, in files of its own")
  func backup() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      try #require(chdir(directory.path) == 0)
      do {
        let backup = ChildProcess(
          "/usr/bin/pg_dump", ["-Fc", "jobs"], output: "backup.log", lock: "backup.lock")
        let ending = try await backup.run(timeout: .seconds(600))
        #expect(ending != .timedOut)
      } catch let error as ChildProcessError {
        #expect(error.kind == .notFound)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(files.sorted() == ["backup.lock", "backup.log"])
    }
  }
}
