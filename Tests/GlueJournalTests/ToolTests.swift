import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal
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
      #expect(empty.output.contains("a program cannot open it: "))
      withExtendedLifetime(store) {}
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
      let cut = try run(copy, "--cut")
      #expect(cut.ending == .exit(0) && cut.output.contains("a program can open it"))
      let torn = copy + "/0000000000000001.log.torn-\(line.lowerBound)"
      #expect(try Data(contentsOf: URL(filePath: torn)) == bytes[line.lowerBound...])
      let store = try Store(state: Tale(), reducer: tale, journal: Journal(at: copy, taleFormat))
      #expect(store.state.count == 4)
      #expect(try run(copy, "--cut").ending == .exit(66))
      #expect(try run("/dev/null", "--cut").ending == .exit(66))
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
