import Foundation
import Glue
import GlueTesting
import Synchronization
import Testing

@testable import DatabaseExample

@Suite("A queue with its history in a database")
struct DatabaseTests {
  private let folder = TemporaryFolder()

  private func openHistory() throws -> RunHistory {
    try RunHistory(file: folder.path + "/history.sqlite")
  }

  @Test("a run that was inserted before a crash is inserted once, and leaves the queue")
  func crash() async throws {
    let history = try openHistory()
    let run = Run(id: UUID(), text: "one")
    let (inserted, insertion) = AsyncStream.makeStream(of: Void.self)
    do {
      // It ends after the insertion, and before the queue hears of it.
      let store = try makeStore(
        in: folder.path,
        Recording(clock: ContinuousClock()) { run in
          do {
            defer { insertion.finish() }
            try await history.insert(run)
          }
          try await Task.sleep(for: .seconds(600))
        })
      store.dispatch(QueueIntent.add(run))
      for await _ in inserted {}
      await store.shutdown()
    }
    let store = try makeStore(
      in: folder.path, Recording(clock: ContinuousClock()) { try await history.insert($0) })
    for await runs in store.values(of: \.runs) where runs.isEmpty { break }
    #expect(try history.texts(containing: "") == ["one"])
    await store.shutdown()
  }

  @Test("a run that the database refuses is tried again")
  func refusal() async throws {
    struct Refusal: Error {}
    let tries = Mutex(0)
    let test = TestStore(state: Queue(), reducer: queue)
    test.add(
      effectHandler: Recording(clock: test.clock) { _ in
        let number = tries.withLock { tries in
          tries += 1
          return tries
        }
        if number < 3 { throw Refusal() }
      })
    test.stub(Accept.self) { _ in [] }
    let run = Run(id: UUID(), text: "one")
    await test.send(
      QueueIntent.add(run), effects: [Accept(run: run), Record(run: run)]
    ) { $0.runs = [run] }
    await test.clock.advance(by: .milliseconds(300))
    await test.receive(QueueIntent.recorded(run.id)) { $0.runs = [] }
    #expect(tries.withLock { $0 } == 3)
    await test.finish()
  }

  @Test("twenty kills lose no line that was printed, and record none twice")
  func kills() throws {
    var told: [String] = []
    for round in 1...20 {
      let program = try RunningProgram(in: folder.path)
      try program.type((1...50).map { "\(round).\($0)\n" }.joined())
      told += try program.lines(1 + round * 2)
      kill(program.id, SIGKILL)
      #expect(program.status() == SIGKILL)
    }
    // A start has 10 s to finish what the killed ones left, and on a busy machine it may need several.
    var status: Int32 = 1
    for _ in 1...10 where status == 1 {
      let last = try RunningProgram(in: folder.path)
      try last.endInput()
      status = last.status()
    }
    #expect(status == 0)
    let texts = try openHistory().texts(containing: "")
    #expect(Set(texts).count == texts.count)
    #expect(Set(told).subtracting(texts) == [])
  }
}

/// The program, in a process of its own.
private struct RunningProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(in folder: String) throws {
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "DatabaseExample")
    process.arguments = [folder]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try output.fileHandleForWriting.close()
  }

  var id: pid_t { process.processIdentifier }

  func type(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  func endInput() throws { try input.fileHandleForWriting.close() }

  /// The next lines that it prints.
  func lines(_ count: Int) throws -> [String] {
    var bytes = Data()
    while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      guard let more = try output.fileHandleForReading.read(upToCount: 1), !more.isEmpty else {
        break
      }
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The status or the signal that it ends with.
  func status() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// A folder that deinit removes.
private final class TemporaryFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()

  init() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
