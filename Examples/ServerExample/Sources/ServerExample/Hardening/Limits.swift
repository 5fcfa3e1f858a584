import ArgumentParser
import Foundation
import Logging
import NIOCore

/// What clients may take of the server.
struct Limits: ParsableArguments {
  @Option(help: "Connections at a time; further ones wait.") var connections = 2_000
  @Option(help: "Seconds in which a client must read what it is sent.") var writeWithin = 10.0
  @Option(help: "Seconds in which a client must send a whole request.") var receiveWithin = 30.0

  func validate() throws {
    try expectPositive(Double(connections), "connections")
    try expectPositive(writeWithin, "write-within")
    try expectPositive(receiveWithin, "receive-within")
  }

  /// The handlers of one connection.
  func handlers(_ connections: Connections, _ logger: Logger) -> [any RemovableChannelHandler] {
    [
      Connection(in: connections, writeWithin: amount(of: writeWithin), logger: logger),
      ReceiveDeadline(within: amount(of: receiveWithin), logger: logger),
    ]
  }

  /// Lets this process have as many open files as its connections need.
  func allowFiles() throws {
    let count = rlim_t(connections + 100)
    var limit = rlimit()
    getrlimit(openFiles, &limit)
    if limit.rlim_cur >= count { return }
    limit.rlim_cur = count
    guard limit.rlim_max >= count, setrlimit(openFiles, &limit) == 0 else {
      throw ValidationError(
        "That many --connections need \(count) open files. Expected at most \(limit.rlim_max).")
    }
  }
}

func expectPositive(_ value: Double, _ name: String) throws {
  if !(1e-3...1e9).contains(value) {
    throw ValidationError("--\(name) is \(value); expected a number above 0.")
  }
}

func isLoopback(_ host: String) -> Bool {
  ["localhost", "::1"].contains(host)
    || host.hasPrefix("127.") && host.allSatisfy { $0.isWholeNumber || $0 == "." }
}

private func amount(of seconds: Double) -> TimeAmount { .nanoseconds(Int64(seconds * 1e9)) }

#if canImport(Glibc)
  private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let openFiles = RLIMIT_NOFILE
#endif
