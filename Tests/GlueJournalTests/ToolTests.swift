import Foundation
import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal
@testable import GlueJournalTool
@testable import JournalVictim

extension ProcessTests {
  @Suite("GlueJournalTool describes a journal")
  struct ToolTests {
    private func run(_ arguments: String...) throws -> PipedProgram.Result {
      try PipedProgram(builtProgram("GlueJournalTool"), arguments).finish(input: Data())
    }

    @Test("it describes a journal and its damage, and changes nothing")
    func describes() throws {
      let directory = try TemporaryDirectory()
      let store = try Store(
        state: Tale(), reducer: tale, journal: Journal(at: directory.journal, taleFormat))
      for _ in 1...3 { store.dispatch(TaleIntent.tell("x")) }
      let result = try run(directory.journal)
      #expect(result.ending == .exit(0))
      #expect(result.output.contains("commits 1 to 3, from "))
      #expect(result.output.contains("tale: 3\n"))
      #expect(result.output.contains("no orderly end"))
      let export = directory.path + "/bug-17"
      #expect(try run(directory.journal, "--export", export).ending == .exit(0))
      #expect(try run(export).output.contains("commits 1 to 3, from "))
      #expect(try Recording(at: export, taleFormat).verify(reducer: erased(tale)) == nil)

      var bytes = try Data(contentsOf: URL(filePath: export))
      bytes[bytes.count / 3] ^= 1
      try bytes.write(to: URL(filePath: export))
      let damaged = try run(export)
      #expect(damaged.ending == .exit(1))
      #expect(damaged.output.contains("damaged: \(export), byte "))

      try Data().write(to: URL(filePath: directory.journal + "/0000000000000001.log"))
      let empty = try run(directory.journal)
      #expect(empty.ending == .exit(1))
      #expect(empty.output.contains("a program cannot open it\n"))
      withExtendedLifetime(store) {}
    }

    @Test("it shows garbage in place of a last log without a state, and opening keeps it")
    func garbageLog() throws {
      let directory = try TemporaryDirectory()
      do {
        let journal = try Journal(at: directory.journal, taleFormat)
        let store = try Store(state: Tale(), reducer: tale, journal: journal)
        store.dispatch(TaleIntent.tell("x"))
      }
      let last = URL(filePath: directory.journal + "/0000000000000099.log")
      try Data("garbage".utf8).write(to: last)
      let result = try run(directory.journal)
      #expect(result.ending == .exit(0))
      #expect(result.output.contains("the last 7 bytes are torn, or just being written\n"))
      let reports = Lines()
      let journal = try Journal(at: directory.journal, taleFormat, report: reports.append)
      #expect(reports.all.first?.contains("the last 7 bytes were cut off and kept") == true)
      let kept = URL(filePath: last.path + ".torn-0")
      #expect(try Data(contentsOf: kept) == Data("garbage".utf8))
      withExtendedLifetime(journal) {}
    }

    @Test("it cuts a damaged log that no program could open, and keeps the part it cut")
    func cuts() throws {
      let directory = try TemporaryDirectory()
      let log = directory.journal + "/0000000000000001.log"
      var bytes = Data()
      do {
        let journal = try Journal(at: directory.journal, taleFormat, durability: .written)
        let store = try Store(state: Tale(), reducer: tale, journal: journal)
        for _ in 1...9 { store.dispatch(TaleIntent.tell("x")) }
        #expect(try run(directory.journal, "--cut").errors.contains("has this journal open"))
        bytes = try Data(contentsOf: URL(filePath: log))
      }
      let copy = directory.path + "/copy"
      let state = try Data(contentsOf: URL(filePath: directory.journal + "/0000000000000001.state"))
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
      try state.write(to: URL(filePath: copy + "/0000000000000001.state"))
      let line = GlueJournal.lines(of: Array(bytes))[5].range
      bytes[line.lowerBound + 20] ^= 1
      try bytes.write(to: URL(filePath: copy + "/0000000000000001.log"))

      let damaged = try run(copy)
      #expect(damaged.ending == .exit(1))
      #expect(damaged.output.contains(", byte \(line.lowerBound), record 6: "))
      #expect(damaged.output.contains("--cut would cut off this record"))
      #expect(damaged.output.contains("\n  5 commits lost, and commit 4 is then the last\n"))
      let cut = try run(copy, "--cut")
      #expect(cut.ending == .exit(0) && cut.output.contains("a program can open it"))
      #expect(cut.output.contains("\n  5 commits lost, and commit 4 is then the last\n"))
      let torn = copy + "/0000000000000001.log.torn-\(line.lowerBound)"
      #expect(try Data(contentsOf: URL(filePath: torn)) == bytes[line.lowerBound...])
      let store = try Store(state: Tale(), reducer: tale, journal: Journal(at: copy, taleFormat))
      #expect(store.state.count == 4)
      #expect(try run(copy, "--cut").ending == .exit(66))
      #expect(try run("/dev/null", "--cut").ending == .exit(66))
    }

    @Test("--cut leaves a directory that holds no journal as it is")
    func cutsNoOther() throws {
      let directory = try TemporaryDirectory()
      let lock = directory.path + "/lock"
      try Data("another program's".utf8).write(to: URL(filePath: lock))
      let result = try run(directory.path, "--cut")
      #expect(result.ending == .exit(66))
      #expect(result.errors.contains("\(directory.path): there is no journal here"))
      #expect(try String(contentsOf: URL(filePath: lock), encoding: .utf8) == "another program's")
    }

    @Test("a file that does not begin with a state is damaged, and can't be exported")
    func garbage() throws {
      let directory = try TemporaryDirectory()
      var random = Xorshift(seed: 36)
      let bytes = (0..<3000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let (empty, noise) = (directory.path + "/empty", directory.path + "/noise")
      try Data().write(to: URL(filePath: empty))
      try Data(bytes).write(to: URL(filePath: noise))
      let log = try killed(in: directory) + "/0000000000000001.log"
      for path in [empty, noise, "/etc/passwd", log] {
        let result = try run(path)
        #expect(result.ending == .exit(1))
        #expect(result.output.contains("damaged: \(path), byte 0: "))
        #expect(try run(path, "--export", directory.path + "/export").ending == .exit(73))
      }
      #expect(try run(directory.path).ending == .exit(66))
    }

    @Test("an export is damaged if any byte of it is changed, or its last line is cut")
    func damagedExports() throws {
      let files = MemoryFiles()
      let store = try Store(
        state: Tally(), reducer: tally, journal: Journal(in: files, tallyFormat))
      for value in 1...3 { store.dispatch(TallyIntent.add(value)) }
      let bytes = try examine(recordingSources(at: "/j", files)).exported()
      #expect(examine([Source(path: "/bug", bytes: bytes)]).flaw == nil)
      let ends = lines(of: bytes).map(\.range.upperBound)
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        for bytes in [changed] + (ends.contains(index) ? [] : [Array(bytes[..<index])]) {
          // Of another machine, whose boot id is another one.
          let examined = examine([Source(path: "/bug", bytes: bytes)], boot: "other")
          #expect(examined.flaw != nil)
          #expect(throws: JournalError.self) { try examined.exported() }
        }
        let isInLastLine = index >= ends.dropLast().last ?? 0
        if isInLastLine { continue }
        #expect(throws: JournalError.self) {
          try Recording(at: "/bug", MemoryFiles.of(["/bug": changed]), tallyFormat)
        }
      }
      withExtendedLifetime(store) {}
    }

    private struct Damage: Sendable {
      let change: @Sendable (_ journal: String) throws -> Void

      /// The last commit after the repair; nil if no command repairs it.
      let last: Int?

      static let all = [
        Damage(change: { try flip("\($0)/0000000000000005.state") }, last: 5),
        Damage(
          change: { try FileManager.default.removeItem(atPath: "\($0)/0000000000000005.log") },
          last: 3),
        Damage(change: { try flip("\($0)/0000000000000005.log") }, last: 3),
        Damage(
          change: {
            try flip("\($0)/0000000000000005.state")
            try flip("\($0)/0000000000000001.log")
          }, last: nil),
        Damage(
          change: {
            try flip("\($0)/0000000000000005.state")
            try FileManager.default.removeItem(atPath: "\($0)/0000000000000001.state")
          }, last: nil),
      ]

      private static func flip(_ path: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[20] ^= 1
        try bytes.write(to: URL(filePath: path))
      }
    }

    @Test(
      "it prints the one command that repairs, once it has read what remains, and no line twice")
    func repairs() throws {
      for damage in Damage.all {
        let journal = try killed(in: TemporaryDirectory())
        try damage.change(journal)
        let result = try run(journal)
        #expect(result.ending == .exit(1))
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(Set(lines).count == lines.count)
        #expect(result.output.components(separatedBy: "this state has no log").count <= 2)
        let commands = lines.filter { $0.contains("mv ") }
        guard let last = damage.last else {
          #expect(commands == [])
          continue
        }
        #expect(lines.contains { $0.hasPrefix("commits 1 to ") })
        #expect(result.output.contains("lost, and commit \(last) is then the last"))
        #expect(commands.count == 1)
        #expect(
          try PipedProgram("/bin/sh", ["-c", commands.first ?? ""]).finish().ending == .exit(0))
        #expect(try run(journal).ending == .exit(0))
        let store = try Store(
          state: Tale(), reducer: tale, journal: Journal(at: journal, taleFormat))
        #expect(store.state.count == last)
      }
    }

    @Test("logs without a state are listed and damaged")
    func missingState() throws {
      let journal = try killed(in: TemporaryDirectory())
      for number in [1, 5] {
        try FileManager.default.removeItem(atPath: "\(journal)/000000000000000\(number).state")
      }
      let result = try run(journal)
      #expect(result.ending == .exit(1) && result.output.contains("commits 1 to 5, "))
    }

    @Test("a symbolic link is named, with the path that it leads to")
    func links() throws {
      let directory = try TemporaryDirectory()
      let journal = try killed(in: directory)
      let (link, log) = (directory.path + "/link", journal + "/0000000000000001.log")
      let manager = FileManager.default
      try manager.createSymbolicLink(atPath: link, withDestinationPath: journal)
      for path in [link, link + "/"] {
        let result = try run(path)
        #expect(result.ending == .exit(66))
        #expect(result.errors.contains("\(link): this is a symbolic link to \(journal)"))
      }
      try manager.moveItem(atPath: log, toPath: directory.path + "/log")
      try manager.createSymbolicLink(atPath: log, withDestinationPath: "../log")
      #expect(try run(journal).errors.contains("\(log): this is a symbolic link to ../log"))
    }

    /// A journal of a process that ended in order after 3 commits, and of one that was killed after
    /// 2 more.
    private func killed(in directory: TemporaryDirectory) throws -> String {
      let copy = directory.path + "/it's killed"
      for count in [3, 2] {
        let journal = try Journal(at: directory.journal, taleFormat, durability: .written)
        let store = try Store(state: Tale(), reducer: tale, journal: journal)
        for _ in 1...count { store.dispatch(TaleIntent.tell("x")) }
        if count == 3 { continue }
        try FileManager.default.copyItem(atPath: directory.journal, toPath: copy)
        withExtendedLifetime(store) {}
      }
      return copy
    }

    @Test("it refuses unknown arguments and files that are no journal")
    func refused() throws {
      #expect(try run("/nowhere").ending == .exit(66))
      #expect(try run("/dev/null").ending == .exit(66))
      #expect(try run().ending == .exit(64))
      #expect(try run("--export", "x").ending == .exit(64))
      #expect(try run("--help").output.hasPrefix("Usage: "))
    }
  }
}
