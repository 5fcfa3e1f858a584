public import Foundation
import Synchronization

/// A process that tests and the demonstration start, stop, and kill.
public final class Server: Sendable {
  private let program: String
  private let arguments: [String]
  private let log: String
  private let keeper: Keeper?
  private let process = Mutex<Process?>(nil)

  /// Makes it, without starting it.
  ///
  /// - Parameters:
  ///   - program: its path.
  ///   - arguments: its arguments.
  ///   - log: the file that what it prints is added to.
  public convenience init(_ program: String, _ arguments: [String], log: String) {
    self.init(program, arguments, log: log, keeper: nil)
  }

  init(_ program: String, _ arguments: [String], log: String, keeper: Keeper?) {
    self.program = program
    self.arguments = arguments
    self.log = log
    self.keeper = keeper
  }

  deinit { kill() }

  /// Starts it.
  ///
  /// - Throws: what the system says where that is not possible.
  public func start() throws {
    let process = Process()
    // It is in a process group of its own, which Ctrl-C at the terminal does not reach.
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    if !FileManager.default.fileExists(atPath: log) {
      _ = FileManager.default.createFile(atPath: log, contents: nil)
    }
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    try output.seekToEnd()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    keeper?.set(process.processIdentifier, isRunning: true)
    self.process.withLock { $0 = process }
  }

  /// Ends it at once, and waits until it has.
  ///
  /// - Parameter signal: a server of several processes takes them along at SIGQUIT alone.
  public func kill(by signal: Int32 = SIGKILL) {
    guard let process = process.withLock({ $0.take() }) else { return }
    Foundation.kill(process.processIdentifier, signal)
    process.waitUntilExit()
    keeper?.set(process.processIdentifier, isRunning: false)
  }

  /// Stops it where it is: it keeps its connections, and answers nothing.
  public func freeze() { signal(SIGSTOP) }

  /// Lets it go on.
  public func thaw() { signal(SIGCONT) }

  private func signal(_ signal: Int32) {
    if let process = process.withLock({ $0 }) {
      Foundation.kill(process.processIdentifier, signal)
    }
  }

  /// The path of a program, if it is installed.
  public static func path(of program: String, in folders: [String] = []) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (folders + path.split(separator: ":").map(String.init) + ["/usr/sbin"])
      .map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Ports of the loopback that nobody uses just now.
  public static func freePorts(_ count: Int) -> [UInt16] {
    let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    defer { for socket in sockets { close(socket) } }
    return sockets.map { socket in
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(socket, address, size)
          getsockname(socket, address, &size)
        }
        return UInt16(bigEndian: pointer.pointee.sin_port)
      }
    }
  }
}

/// What is not installed, and how to install it.
public struct NotInstalled: Error, CustomStringConvertible {
  /// Says it in a sentence.
  public let description: String
}
