import Foundation
import Synchronization

/// A process that tests and the demonstration start, stop, and kill.
package final class Server: Sendable {
  private let command: [String]
  private let log: String
  private let keeper: Keeper?
  private let process = Mutex<Process?>(nil)

  /// Makes it, without starting it; its output is appended to the log.
  package init(_ command: [String], log: String, keeper: Keeper? = nil) {
    (self.command, self.log, self.keeper) = (command, log, keeper)
  }

  deinit { kill() }

  package func start(with more: [String] = []) throws {
    let process = Process(command + more)
    let file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    if file < 0 { throw ServerError("\(log): \(String(cString: strerror(errno)))") }
    let output = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    process.standardOutput = output
    process.standardError = output
    // It has a process group of its own, so Ctrl-C at the terminal doesn't reach it.
    try process.run()
    keeper?.set(process.processIdentifier, isRunning: true)
    self.process.withLock { $0 = process }
  }

  /// Ends it at once, and waits until it has.
  ///
  /// - Parameter signal: SIGQUIT ends a server that has child processes.
  package func kill(by signal: Int32 = SIGKILL) {
    guard let process = process.withLock({ $0.take() }) else { return }
    Foundation.kill(process.processIdentifier, signal)
    process.waitUntilExit()
    keeper?.set(process.processIdentifier, isRunning: false)
  }

  /// Suspends it and its child processes: they keep their connections, and answer nothing.
  package func freeze() { signal(SIGSTOP) }

  /// Resumes them.
  package func thaw() { signal(SIGCONT) }

  private func signal(_ signal: Int32) {
    guard let id = process.withLock({ $0?.processIdentifier }) else { return }
    // A process that is suspended makes no more children.
    Foundation.kill(id, signal)
    let children = try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
    for child in (children ?? "").split(separator: " ") {
      if let child = Int32(child) { Foundation.kill(child, signal) }
    }
  }

  /// The path of a program that these Debian packages install.
  package static func path(
    of program: String, in folders: [String] = [], from packages: String
  ) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let paths = (folders + path.split(separator: ":").map(String.init) + ["/usr/sbin"])
      .map { "\($0)/\(program)" }
    if let path = paths.first(where: FileManager.default.isExecutableFile) { return path }
    throw ServerError("There is no \(program). Install it: apt-get install \(packages)")
  }

  /// Ports of the loopback that are free at the moment.
  package static func freePorts(_ count: Int) -> [UInt16] {
    let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    defer { for socket in sockets { close(socket) } }
    return sockets.map { socket in
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(socket, address, size)
          getsockname(socket, address, &size)
        }
      }
      return UInt16(bigEndian: address.sin_port)
    }
  }
}

/// A server is not installed, or does not come back.
package struct ServerError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension Process {
  /// Makes a process that reads and prints nothing.
  convenience init(_ command: [String]) {
    self.init()
    executableURL = URL(fileURLWithPath: command[0])
    arguments = Array(command.dropFirst())
    standardInput = FileHandle.nullDevice
    standardOutput = FileHandle.nullDevice
    standardError = FileHandle.nullDevice
  }
}
