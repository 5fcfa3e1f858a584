import Foundation
import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal
@testable import JournalVictim

extension ProcessTests.J11OneOwnerTests {
  @Test("without its lock file a directory still has one owner, also for older versions")
  func removedLock() throws {
    let directory = try TemporaryDirectory()
    let journal = try Journal(at: directory.journal, taleFormat)
    let lock = directory.journal + "/lock"
    try FileManager.default.removeItem(atPath: lock)
    let result = try victim(directory.journal, "written", textSize: 1).finish(input: Data())
    #expect(result.output == "" && result.errors.contains("has this journal open"))
    withExtendedLifetime(journal) {}

    let other = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: other.journal, withIntermediateDirectories: false)
    let file = open(other.journal + "/lock", O_RDWR | O_CREAT, 0o600)
    #expect(flock(file, LOCK_EX) == 0)
    #expect(throws: JournalError.self) { try Journal(at: other.journal, taleFormat) }
    close(file)
    _ = try Journal(at: other.journal, taleFormat)
  }

  @Test("a relative path stays valid when the current directory changes")
  func relativePath() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let manager = FileManager.default
      #expect(manager.changeCurrentDirectoryPath(directory.path))
      let store = try Store(
        state: Tale(), reducer: tale, journal: Journal(at: "journal", taleFormat))
      #expect(manager.changeCurrentDirectoryPath("/"))
      store.dispatch(TaleIntent.tell("x"))
    }
  }
}

extension J6FailingTests {
  /// The output of a program that loses the file at a path after its first commit.
  private static func end(
    afterLosing path: String, _ durability: Durability = .written,
    _ replace: (MemoryFiles) throws -> Void = { _ in }
  ) throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, durability)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    let subscription = store.subscribe(selector: \.count) {
      FileHandle.standardError.write(Data("count \($0)\n".utf8))
    }
    store.dispatch(TallyIntent.add(1))
    files.forget(path)
    try replace(files)
    store.dispatch(TallyIntent.add(2))
    subscription.cancel()
  }

  private func expectStop(_ result: ExitTest.Result?, _ reason: String) throws {
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("count 1\n") && !text.contains("count 2\n"))
    #expect(text.contains(reason))
    #expect(text.contains("Keep other programs away from the journal's files, and start"))
  }

  @Test("a program whose log is removed ends, and notifies no lost commit")
  func removedLog() async throws {
    try await expectStop(
      #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Self.end(afterLosing: "/j/0000000000000001.log", .synced)
      }, "/j/0000000000000001.log: the file was removed or replaced")
  }

  @Test("a program whose directory is removed or replaced ends without notifying")
  func removedDirectory() async throws {
    try await expectStop(
      #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Self.end(afterLosing: "/j")
      }, "/j: the directory was removed or replaced")
    try await expectStop(
      #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Self.end(afterLosing: "/j") { _ = try recovered($0) }
      }, "/j: the directory was removed or replaced")
  }

  /// The output of a program whose log another one changes after its first commit.
  private static func end(afterChanging change: (FileHandle) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    // The second process continues with a log that it has not made.
    for count in 1...2 {
      let journal = try Journal(at: directory.journal, tallyFormat, durability: .written)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      let subscription = store.subscribe(selector: \.count) {
        FileHandle.standardError.write(Data("count \($0)\n".utf8))
      }
      defer { subscription.cancel() }
      store.dispatch(TallyIntent.add(count))
      if count == 1 { continue }
      let logs = try FileManager.default.contentsOfDirectory(atPath: directory.journal)
        .filter { $0.hasSuffix(".log") }.sorted()
      let log = try #require(
        FileHandle(forUpdatingAtPath: "\(directory.journal)/\(logs.last ?? "")"))
      try change(log)
      store.dispatch(TallyIntent.add(3))
    }
  }

  @Test("a program whose log is cut off or continued by another ends without notifying")
  func changedLog() async throws {
    for (result, reason) in [
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try Self.end { try $0.truncate(atOffset: 0) }
        }, "the file was cut off while"
      ),
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try Self.end { try $0.truncate(atOffset: $0.seekToEnd() - 1) }
        }, "the file was cut off while"
      ),
      (
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try Self.end {
            try $0.seekToEnd()
            try $0.write(contentsOf: Data("x".utf8))
          }
        }, "another program wrote to the file while"
      ),
    ] {
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(text.contains("count 2\n") && !text.contains("count 3\n"))
      #expect(text.contains(reason))
      #expect(text.contains("Keep other programs away from the journal's files, and start"))
    }
  }

  @Test("a write of nothing is a failure, not an endless loop")
  func nothingWritten() throws {
    let files = MemoryFiles()
    files.watch { call, _ in call == "write" ? .nothing : nil }
    let error = #expect(throws: JournalError.self) { try Journal(in: files, tallyFormat) }
    #expect(error?.path == "/j/lock" && error?.reason.contains("cannot write") == true)
  }
}

extension J1PrefixTests {
  @Test("the next process keeps a directory that one made and left", arguments: 0..<20)
  func unsyncedDirectory(seed: Int) throws {
    let files = MemoryFiles()
    files.watch { call, _ in call == "open" ? .error(EIO) : nil }
    #expect(throws: JournalError.self) { try Journal(in: files, tallyFormat) }
    files.watch(nil)
    let store = try Store(
      state: Tally(), reducer: tally, journal: Journal(in: files, tallyFormat))
    store.dispatch(TallyIntent.add(1))
    var random = Xorshift(seed: UInt64(seed))
    let left = withExtendedLifetime(store) { files.afterPowerFailure(&random) }
    #expect(try recovered(left) == .after(1))
  }
}
