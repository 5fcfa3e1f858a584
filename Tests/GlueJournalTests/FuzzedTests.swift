import Foundation
import Glue
import GlueSimulation
import Testing

@testable import GlueJournal

extension J5TornOrRottenTests {
  private static let fuzzedFormat = JournalFormat(
    of: Tally.self,
    intents: [
      .named("tally", TallyIntent.self), .elements("element", id: Int.self),
      .formerly("old", String.self) { TallyIntent.note($0) },
    ], effects: [.sends("send")])

  /// The corpus has a file in Base64 a line.
  ///
  /// libFuzzer (`-sanitize=fuzzer,address`) kept those that take different paths through this code.
  @Test("a fuzzer's files are refused or read, also with the right checksums")
  func corpus() throws {
    let file = URL(filePath: "Fuzzed.base64", relativeTo: URL(filePath: #filePath))
    var readCount = 0
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let bytes = Array(try #require(Data(base64Encoded: String(line))))
      var lines = LineBuffer()
      for line in bytes.split(separator: 10) { lines.line { $0.json(line) } }
      for bytes in [bytes, lines.bytes] {
        do {
          let files = MemoryFiles.of(["/j/a": bytes])
          let recording = try Recording(at: "/j/a", files, Self.fuzzedFormat)
          _ = try recording.verify(reducer: Self.reminding)
          let replay = Replay<Tally>(
            of: recording.recorded, Self.fuzzedFormat.coding, isOpening: true, Self.reminding)
          for _ in replay {}
          readCount += 1
        } catch is JournalError {}
      }
    }
    #expect(readCount > 10)
  }
}
