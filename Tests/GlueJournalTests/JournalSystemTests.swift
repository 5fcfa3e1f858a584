import Foundation
import Glue
import Testing

@testable import GlueJournal
@testable import GlueSimulation

/// Files that record the commit after which each store begins.
///
/// `@unchecked Sendable` is sound because it adds a constant.
private final class NotingFiles: MemoryFiles, @unchecked Sendable {
  let commits = Shared<[Int?]>([])

  override func noteStore(on clock: any Clock<Duration>, after commit: Int?) {
    commits.change { $0.append(commit) }
  }
}

@Suite("A journal's path, and the system that it is on")
struct JournalSystemTests {
  @Test("the slashes at the end of a path don't count, except the root's")
  func slashes() throws {
    let directory = try TemporaryDirectory()
    for slashes in ["", "/", "//"] {
      #expect(try Directory(at: directory.path + slashes).path == directory.path)
    }
    for path in ["/", "//"] { #expect(try Directory(at: path).path == "/") }
  }

  @Test("a program without a standard input can have a journal")
  func closedInput() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      _ = close(0)  // The first file gets this number.
      for count in 1...2 {
        let store = try Store(
          state: Tally(), reducer: tally, journal: Journal(at: directory.journal, tallyFormat))
        store.dispatch(TallyIntent.add(count))
        #expect(store.state == .after(count))
      }
    }
  }

  @Test("the system learns the commit after which each store continues, if any")
  func continued() throws {
    let files = NotingFiles()
    for value in 1...3 {
      let store = try Store(
        state: Tally(), reducer: tally, journal: Journal(in: files, tallyFormat))
      store.dispatch(TallyIntent.add(value))
    }
    #expect(files.commits.value == [nil, 1, 2])
  }

  /// It fails if the clock is set back between two of its lines.
  @Test("times come from the system's clock, in whole microseconds")
  func time() {
    func clock() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
    let start = clock()
    #expect((start...).contains(systemFiles.microseconds))
    #expect(systemFiles.microseconds <= clock())
  }
}
