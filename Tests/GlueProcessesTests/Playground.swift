import Foundation
import GlueProcesses
import Testing

@testable import GlueProcesses

/// A directory with two pipes of a command.
///
/// Its processes write to `alive`, and wait at `hold`, which ends with the test, so that they do too.
final class Playground: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/glue-\(UUID().uuidString)"
  private let hold: Int32

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for name in ["alive", "hold"] { try #require(mkfifo("\(path)/\(name)", 0o600) == 0) }
    hold = open("\(path)/hold", O_RDWR | O_CLOEXEC)
  }

  deinit {
    close(hold)
    try? FileManager.default.removeItem(atPath: path)
  }

  var lock: String { path + "/lock" }
  var output: String { path + "/output" }

  /// A shell that runs a script in the directory.
  func shell(_ script: String, output: Bool = false, lock: Bool = false) -> ChildProcess {
    ChildProcess(
      "/bin/sh", ["-c", #"cd "$0"; "# + script, path], output: output ? self.output : nil,
      lock: lock ? self.lock : nil)
  }

  func text() throws -> String { try String(contentsOfFile: output, encoding: .utf8) }

  /// Waits for the first line that is written to `alive`.
  func line() async throws -> Witness {
    try await onOwnThread { [path] () throws(any Error) in
      let file = try FileHandle(forReadingFrom: URL(filePath: path + "/alive"))
      var line = ""
      while let byte = try file.read(upToCount: 1), byte != Data("\n".utf8) {
        line += String(decoding: byte, as: UTF8.self)
      }
      return Witness(line: line, file: file)
    }
  }
}

/// The reading end of `alive`.
struct Witness: Sendable {
  let line: String
  fileprivate let file: FileHandle

  /// Waits until no process has the writing end any more, and returns the rest.
  func rest() async throws -> String {
    try await onOwnThread { () throws(any Error) in
      String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
  }
}

/// A clock on which a sleep lasts until the test ends it.
final class HandClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  struct Sleep: Sendable {
    let duration: Duration
    fileprivate let end: AsyncStream<Void>.Continuation

    func finish() { end.finish() }
  }

  let sleeps: AsyncStream<Sleep>
  private let began: AsyncStream<Sleep>.Continuation

  init() { (sleeps, began) = AsyncStream.makeStream() }

  var now: Instant { Instant() }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    began.yield(Sleep(duration: deadline.offset, end: end))
    for await _ in stream {}
    try Task.checkCancellation()
  }

  /// Waits for the next sleep, and for nothing more.
  func sleep() async throws -> Sleep {
    for await sleep in sleeps { return sleep }
    throw CancellationError()
  }
}

/// A duration in which everything that a test expects has happened.
let never = Duration.seconds(1_000_000)
