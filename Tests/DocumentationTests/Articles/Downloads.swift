import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing

@testable import DownloadsProgram

// The first recipe's test, word for word; `ArticleTests` compares it, and `DownloadsProgram`.

@Test func threeDownloadsRunAtATime() async {
  let jobs = (1...4).map { Job(id: $0, url: "\($0).zip") }
  let work = jobs.map { Download(job: $0).lasting(id: $0.id) }
  let test = TestStore(
    state: Downloads(jobs: jobs, lastID: 4), reducer: downloads, lasting: running,
    began: Array(work.prefix(3)))
  test.stub(Download.self) { _ in [] }

  await test.send(DownloadIntent.done(id: 2), began: [work[3]], ceased: [work[1]]) {
    $0.jobs.remove(at: 1)
  }
  await test.finish()
}

extension ProcessTests {
  @Suite("The queue of jobs")
  struct DownloadsTests {
    private let directory = TemporaryDirectory()

    /// The shell's arguments for the program, in the directory where its journal is.
    private var arguments: [String] {
      ["-c", #"cd "$0" && exec "$@""#, directory.path, builtProgram("DownloadsProgram")]
    }

    /// The next lines that it prints, which its downloads do in any order.
    private func lines(_ count: Int, of program: PseudoTerminal) throws -> Set<String> {
      Set(try (0..<count).map { _ in try program.read(until: "\r\n") })
    }

    @Test("killed twice, it begins the same three downloads again each time")
    func isKilled() throws {
      let first: Set = ["fetching a", "fetching b", "fetching c"]
      for urls in [["a", "b", "c", "d"], [], []] {
        let program = try PseudoTerminal(running: "/bin/sh", arguments + urls)
        #expect(try lines(3, of: program) == first)
        #expect(program.end(by: SIGKILL) == .signal(SIGKILL))
      }
    }

    @Test("without anything to download, it ends")
    func ends() throws {
      #expect(try PipedProgram("/bin/sh", arguments).finish() == PipedProgram.Result())
    }
  }
}
