import Foundation
import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal
@testable import JournalVictim

/// A directory in the temporary one, removed when the process ends.
///
/// It is not removed with this: a store may be alive after the last use of both, and must not find
/// its files gone.
final class TemporaryDirectory: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/glue-journal-\(UUID().uuidString)"
  var journal: String { path + "/journal" }

  private static let all = {
    atexit { TemporaryDirectory.removeAll() }
    return Locked<[String]>([])
  }()

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    TemporaryDirectory.all.withLock { $0.append(path) }
  }

  private static func removeAll() {
    for path in all.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}

/// `JournalVictim`, which continues with a journal until it is killed.
func victim(_ journal: String, _ mode: String, textSize: Int) throws -> PipedProgram {
  try PipedProgram(builtProgram("JournalVictim"), [journal, mode, "\(textSize)"])
}

extension ProcessTests {
  @Suite("J11: a journal has one owner, and only it can access the files")
  struct J11OneOwnerTests {
    @Test("an error names the owner to a second opener, in this process and in another")
    func secondOpener() throws {
      let directory = try TemporaryDirectory()
      let journal = try Journal(at: directory.journal, taleFormat)
      let error = #expect(throws: JournalError.self) {
        try Journal(at: directory.journal, taleFormat)
      }
      #expect(error?.description.contains(": this process has this journal open") == true)
      let other = try victim(directory.journal, "written", textSize: 1)
      let result = try other.finish(input: Data())
      #expect(result.output == "")
      #expect(result.errors.contains(": process \(getpid()) has this journal open"))
      withExtendedLifetime(journal) {}
    }

    @Test(
      "closing frees it, although a process that is being started has a copy of each descriptor")
    func copiedDescriptors() async throws {
      let directory = try TemporaryDirectory()
      let journal = try Journal(at: directory.journal, taleFormat)
      let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        .filter { name in
          let path = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(name)")
          return path?.hasPrefix(directory.journal) == true
        }
      let copies = own.compactMap(Int32.init).map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
      defer { for copy in copies { close(copy) } }
      #expect(copies.count >= 2 && copies.allSatisfy { $0 >= 0 })
      try await journal.close()
      _ = try Journal(at: directory.journal, taleFormat)
    }

    @Test("a waiting opener gets the journal when the other process ends")
    func waiting() throws {
      let directory = try TemporaryDirectory()
      let other = try victim(directory.journal, "written", textSize: 1)
      _ = try other.receive(2)
      #expect(throws: JournalError.self) { try Journal(at: directory.journal, taleFormat) }
      let process = other.process
      Thread.detachNewThread { kill(process, SIGKILL) }
      let journal = try Journal(at: directory.journal, taleFormat, waiting: .seconds(100))
      _ = try other.finish(input: Data())
      withExtendedLifetime(journal) {}
    }

    @Test("only the owner can access files and directories, and opening refuses links")
    func permissions() throws {
      let directory = try TemporaryDirectory()
      let manager = FileManager.default
      _ = try Store(
        state: Tale(), reducer: tale, journal: Journal(at: directory.journal, taleFormat))
      func mode(_ path: String) throws -> Int? {
        try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      }
      #expect(try mode(directory.journal) == 0o700)
      for name in try manager.contentsOfDirectory(atPath: directory.journal) {
        #expect(try mode(directory.journal + "/" + name) == 0o600)
      }
      let link = directory.path + "/link"
      try manager.createSymbolicLink(atPath: link, withDestinationPath: directory.journal)
      try manager.removeItem(atPath: directory.journal + "/lock")
      for link in [link, link + "/"] {
        #expect(throws: JournalError.self) { try Journal(at: link, taleFormat) }
      }
      #expect(!manager.fileExists(atPath: directory.journal + "/lock"))
      let log = directory.journal + "/0000000000000001.log"
      try manager.moveItem(atPath: log, toPath: directory.path + "/log")
      try manager.createSymbolicLink(atPath: log, withDestinationPath: directory.path + "/log")
      #expect(throws: JournalError.self) { try Journal(at: directory.journal, taleFormat) }
    }

    @Test("an error names a path that is no directory, or can't become one")
    func noDirectory() throws {
      let directory = try TemporaryDirectory()
      try Data().write(to: URL(filePath: directory.journal))
      for path in [directory.journal, directory.path + "/a/b", "/proc/self/glue", "/dev/null"] {
        let error = #expect(throws: JournalError.self) { try Journal(at: path, taleFormat) }
        #expect(error?.path.hasPrefix(path) == true)
      }
    }

    @Test("the program ends if files can't grow, and keeps every commit it notified")
    func fullDisk() throws {
      let directory = try TemporaryDirectory()
      let script = "ulimit -f 64; trap '' XFSZ; exec \"$0\" \"$1\" synced 100"
      let program = try PipedProgram(
        "/bin/sh", ["-c", script, builtProgram("JournalVictim"), directory.journal])
      let result = try program.finish(input: Data())
      #expect(result.ending != .exit(0))
      #expect(result.errors.contains(".log: cannot write: File too large"))
      let told = result.output.split(separator: "\n").last.flatMap { Int($0) } ?? 0
      let journal = try Journal(at: directory.journal, taleFormat, report: { _ in })
      let store = try Store(state: Tale(), reducer: tale, journal: journal)
      #expect(told > 0 && store.state.count == told)
    }

    /// Whether another user can be had, and a file system that is small.
    private static let isRoot = geteuid() == 0
    private static let mountsFiles =
      (try? PipedProgram("/usr/bin/unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"])
        .finish(input: Data()).ending) == .exit(0)

    @Test(
      "another user's directory is refused",
      .enabled(if: isRoot, "only root can be another user"))
    func anothersDirectory() throws {
      let directory = try TemporaryDirectory()
      _ = try Store(
        state: Tale(), reducer: tale, journal: Journal(at: directory.journal, taleFormat))
      let script = "exec setpriv --reuid 65534 --clear-groups \"$0\" \"$1\" written 1"
      let program = try PipedProgram(
        "/bin/sh", ["-c", script, builtProgram("JournalVictim"), directory.journal])
      let result = try program.finish(input: Data())
      #expect(result.ending != .exit(0) && result.output == "")
      #expect(result.errors.contains("\(directory.journal)"))
      #expect(result.errors.contains("Permission denied"))

      // His own, in which he may make no files.
      let change = "chown -R 65534 \"$1\" \"$1\"/..; chmod 0555 \"$1\"; " + script
      let own = try PipedProgram(
        "/bin/sh", ["-c", change, builtProgram("JournalVictim"), directory.journal])
      #expect(try own.finish(input: Data()).errors.contains("cannot create files here: Permission"))
    }

    @Test(
      "the program ends on a full file system, and keeps every commit it notified",
      .enabled(if: mountsFiles, "no file system can be mounted here"))
    func fullFileSystem() throws {
      let directory = try TemporaryDirectory()
      let script = """
        mount -t tmpfs -o size=64k none /mnt && "$0" /mnt/journal synced 100
        cp -r /mnt/journal "$1"
        """
      let program = try PipedProgram(
        "/usr/bin/unshare",
        ["-rm", "/bin/sh", "-c", script, builtProgram("JournalVictim"), directory.journal])
      let result = try program.finish(input: Data())
      #expect(result.errors.contains("cannot write: No space left on device"))
      let told = result.output.split(separator: "\n").last.flatMap { Int($0) } ?? 0
      let journal = try Journal(at: directory.journal, taleFormat, report: { _ in })
      let store = try Store(state: Tale(), reducer: tale, journal: journal)
      #expect(told > 0 && store.state.count == told)
    }

    @Test(
      "opening refuses a directory whose files can't be written or created",
      arguments: [("open", "/j/lock"), ("access", "/j")])
    func readOnly(refused: String, at place: String) throws {
      let files = MemoryFiles()
      _ = try recovered(files)
      files.watch { call, path in call == refused && path == place ? .error(EACCES) : nil }
      let error = #expect(throws: JournalError.self) { try Journal(in: files, tallyFormat) }
      #expect(error?.description.contains("Permission denied") == true)
    }
  }

  @Suite("J1: a killed process loses no commit that it notified")
  struct J1KillTests {
    /// The number of kills; `GLUE_KILLS` says how many for a longer run.
    private static let count = Trials.number("GLUE_KILLS", or: 25)

    /// One process after the other continues with a journal, and is killed after some lines.
    ///
    /// Long texts make it write states all the time.
    @Test("killed at random moments, also while it writes states and a reader reads")
    func kills() throws {
      let directory = try TemporaryDirectory()
      var random = Xorshift(seed: Trials.firstSeed)
      var told = 0
      for number in 0..<Self.count {
        let mode = number % 2 == 0 ? "synced" : "written"
        let size = number % 3 == 0 ? 40_000 : 2000
        let program = try victim(directory.journal, mode, textSize: size)
        _ = try program.receive(Int.random(in: 1...150, using: &random))
        if number % 5 == 0 {
          let recording = try Recording(at: directory.journal, taleFormat)
          #expect(try recording.verify(reducer: erased(tale)) == nil)
        }
        kill(program.process, SIGKILL)
        let output = try program.finish(input: Data()).output
        let last = output.split(separator: "\n").dropLast(output.hasSuffix("\n") ? 0 : 1).last
        told = max(told, last.flatMap { Int($0) } ?? 0)
        let after = try Recording(at: directory.journal, taleFormat)
        #expect(after.recorded.commit >= told)
      }
      let store = try Store(
        state: Tale(), reducer: tale, journal: Journal(at: directory.journal, taleFormat))
      var expected = Tale()
      for _ in 0..<store.state.count { _ = tale(state: &expected, intent: .tell("")) }
      #expect(store.state.chain == expected.chain && store.state.count >= told && told > 0)
    }
  }

  @Suite("J13: a changed reducer after a kill")
  struct J13KillTests {
    @Test("opening finds it in the files of a killed process")
    func changedReducer() async throws {
      let directory = try TemporaryDirectory()
      let program = try victim(directory.journal, "written", textSize: 10)
      let changed: @Sendable (inout Tale, TaleIntent) -> [any Effect] = { state, intent in
        let effects = tale(state: &state, intent: intent)
        if state.count > 10 { state.text += "!" }
        return effects
      }
      /// Whether it has written a digest of a state that differs.
      func differs() throws -> Bool {
        try Recording(at: directory.journal, taleFormat).verify(reducer: erased(changed)) != nil
      }
      repeat {
        try #require(try program.receive(2000) != "", "the program has ended")
      } while try !differs()
      kill(program.process, SIGKILL)
      _ = try program.finish(input: Data())
      let lines = Lines()
      let report: @Sendable (String) -> Void = { lines.append($0) }
      let journal = try Journal(
        at: directory.journal, taleFormat, onDivergence: .refuse, report: report)
      #expect(throws: JournalError.self) {
        try Store(state: Tale(), reducer: changed, journal: journal)
      }
      let again = try Journal(at: directory.journal, taleFormat, report: report)
      let store = try Store(state: Tale(), reducer: changed, journal: again)
      #expect(store.state.text.hasSuffix("!"))
      #expect(lines.all.count == 1 && lines.all[0].contains("the state differs in text. "))
      await store.shutdown()
    }
  }
}
