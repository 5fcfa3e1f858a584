import Foundation
import Synchronization
import Testing

/// The program, on a port of its own of the loopback.
final class RunningServer: Sendable {
  /// The program, which is built beside the tests, unless PROGRAM says where else.
  static var program: URL? {
    ProcessInfo.processInfo.environment["PROGRAM"].map { URL(filePath: $0) }
      ?? Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "ServerExample")
  }

  let port: UInt16
  private let process: Process
  private let log: FileHandle
  private let read = Mutex("")

  /// Starts it, and waits until it listens.
  init(_ arguments: String...) throws {
    let pipe = Pipe()
    process = Process()
    process.executableURL = Self.program
    process.arguments = ["--port", "0", "--quiet"] + arguments
    process.standardError = pipe
    try process.run()
    try pipe.fileHandleForWriting.close()
    log = pipe.fileHandleForReading
    let text = Self.text(upTo: "ready", and: "\n", in: log)
    read.withLock { $0 = text }
    let port = text.components(separatedBy: "port=").last?.split(separator: " ").first
    self.port = try #require(UInt16(port ?? ""), "\(text)")
  }

  deinit {
    kill(SIGKILL)
  }

  var id: pid_t { process.processIdentifier }

  func kill(_ signal: Int32) {
    if process.isRunning { Foundation.kill(id, signal) }
  }

  /// Waits until it has logged a line that contains a text.
  ///
  /// - Returns: whether it has, before it ended.
  func logs(_ text: String) -> Bool {
    read.withLock { read in
      if !read.contains(text) { read += Self.text(upTo: text, and: "\n", in: log) }
      return read.contains(text)
    }
  }

  /// Waits until it has ended.
  ///
  /// - Returns: its status, and its log.
  func end() -> (status: Int32, log: String) {
    let rest = Self.text(upTo: nil, and: "", in: log)
    process.waitUntilExit()
    return (process.terminationStatus, read.withLock { $0 + rest })
  }

  private static func text(upTo end: String?, and last: String, in log: FileHandle) -> String {
    var text = ""
    while let data = try? log.read(upToCount: 1), !data.isEmpty {
      text += String(decoding: data, as: UTF8.self)
      if let end, text.hasSuffix(last), text.contains(end) { break }
    }
    return text
  }
}

/// A directory that deinit removes.
final class TemporaryDirectory: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
