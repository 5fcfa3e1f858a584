import Foundation
import Glue
import GlueSimulation
import GlueTesting
import Testing

@testable import GlueJournal

@Suite("J12: the files are text that another program can read")
struct J12ReadableTests {
  private struct Ring: Effect, Codable, Equatable { var times: Int }

  private static let format = JournalFormat(
    of: Tally.self, version: 3, intents: [.named("tally", TallyIntent.self)],
    effects: [.atLeastOnce("ring", Ring.self)])

  @Sendable private static func ringing(state: inout Tally, intent: any Intent) -> [any Effect] {
    switch intent {
    case TallyIntent.add(2): return [Ring(times: 2).scheduled(.delay(.seconds(1.5)), id: "r")]
    case TallyIntent.add(3): return [CancelEffects(id: "r")]
    case TallyIntent.note(let note): state.note = note
    default: state.note += "?"
    }
    return []
  }

  private struct Unnamed: Intent {}

  private func text(_ files: MemoryFiles) -> [String: String] {
    let files = files.all.filter { $0.key != "/j/lock" }
    return files.mapValues { String(decoding: $0, as: UTF8.self) }
  }

  @Test("each kind of line matches the article word for word")
  func lines() async throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, Self.format)
    let store = try Store(
      state: Tally(), reducer: Self.ringing, clock: TestClock(), journal: journal)
    for value in 2...3 { store.dispatch(TallyIntent.add(value)) }
    store.dispatch(TallyIntent.note("a/b \"ü\"\n"))
    store.dispatch(Unnamed())
    try await journal.close()
    var all: [String] = []
    for (name, text) in text(files).sorted(by: { $0.key < $1.key }) {
      all.append(name)
      for line in text.split(separator: "\n") { all.append(String(line.dropFirst(9))) }
    }
    let lines: [String] = all.map {
      $0.replacing(/"digest":\[1,[^\]]*\]/, with: "\"digest\":[]")
        .replacing(/(\d{16,})(?=[,}])/, with: "TIME")
    }
    let state = #"{"count":0,"chain":1,"note":""}"#
    let last = #"{"count":0,"chain":1,"note":"a/b \"ü\"\n?"}"#
    let expected: [String] = [
      "/j/0000000000000001.log",
      #"{"n":1,"d":0,"log":0,"format":1,"version":3,"at":TIME,"boot":"boot 0"}"#,
      #"{"n":2,"d":1,"commit":1,"at":TIME,"intent":["tally",{"add":{"_0":2}}],"#
        + #""effects":[[1,0,TIME,"ring",{"times":2},"delay",1.5,"r"]],"digest":[]}"#,
      #"{"n":3,"d":2,"commit":2,"at":TIME,"intent":["tally",{"add":{"_0":3}}],"over":[[1,0]],"digest":[]}"#,
      #"{"n":4,"d":3,"commit":3,"at":TIME,"intent":["tally",{"note":{"_0":"a/b \"ü\"\n"}}],"digest":[]}"#,
      #"{"n":5,"d":4,"commit":4,"at":TIME,"from":4,"digest":[],"state":\#(last)}"#,
      "/j/0000000000000001.state",
      #"{"n":1,"d":0,"state":0,"format":1,"version":3,"at":TIME,"digest":[],"value":\#(state)}"#,
      "/j/0000000000000006.log",
      #"{"n":6,"d":5,"log":4,"format":1,"version":3,"at":TIME,"boot":"boot 0"}"#,
      #"{"n":7,"d":6,"closed":4}"#,
      "/j/0000000000000006.state",
      #"{"n":6,"d":5,"state":4,"format":1,"version":3,"at":TIME,"digest":[],"value":\#(last)}"#,
    ]
    #expect(lines.map(sorted) == expected.map(sorted))
  }

  /// A line with the members of its objects in one order: `JSONEncoder` has none.
  private func sorted(_ line: String) -> String {
    let json = line.replacing("TIME", with: "\"TIME\"")
    guard let value = try? JSONSerialization.jsonObject(with: Data(json.utf8)),
      let data = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
    else { return line }
    return String(decoding: data, as: UTF8.self)
  }

  @Test("a line is eight digits of CRC-32C, a space, and JSON, for any content", arguments: 0..<20)
  func anyTexts(seed: Int) throws {
    var random = Xorshift(seed: UInt64(seed))
    let files = MemoryFiles()
    let store = try Store(
      state: Tally(), reducer: Self.ringing, journal: Journal(in: files, Self.format))
    let scalars = Array("a \"\\/\n\r\t\u{0}\u{1f}\u{7f}\u{85}\u{2028}ü€😀".unicodeScalars)
    for _ in 0..<20 {
      var note = ""
      for _ in 0..<Int.random(in: 0..<9, using: &random) {
        note.unicodeScalars.append(scalars.randomElement(using: &random) ?? " ")
      }
      store.dispatch(TallyIntent.note(note))
    }
    for (name, text) in text(files.afterKill()) {
      let lines = text.utf8.split(separator: 10)
      #expect(lines.count == (name.hasSuffix(".log") ? 21 : 1))
      for line in lines {
        let json = Array(line.dropFirst(9))
        let sum = String(crc32c(json), radix: 16)
        let digits = String(repeating: "0", count: 8 - sum.count) + sum
        #expect(String(Substring(line.prefix(9))) == digits + " ")
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json)) }
      }
    }
    withExtendedLifetime(store) {}
  }

  /// The checksum as its definition says, bit by bit.
  private func crc32c(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0x82F6_3B78 }
    }
    return ~sum
  }

  @Test("the checksum matches known values")
  func checksums() {
    let digits = Array("123456789".utf8)
    #expect(checksum(digits[...]) == 0xE306_9283)
    #expect(crc32c(digits) == 0xE306_9283)
  }
}
