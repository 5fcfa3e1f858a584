import ArgumentParser
import Foundation
import Glue
import GlueJournal
import Testing

@testable import ServerExample

/// 1,000 clients listen, 200 of which never read, while others change a list of 100 to-dos.
@Suite(.serialized) struct LoadTests {
  @Test func aThousandClientsCostBoundedMemoryAndAreAllToldOfTheLast() async throws {
    let directory = try await journal(of: longList(100))
    let server = try RunningServer("--journal", directory.path, "--write-within", "1000")
    try Limits.parse([]).allowFiles()
    let alone = try server.memory()
    let stalled = try (1...200).map { _ in try server.listener(receiving: 4096) }
    let listeners = try (1...800).map { _ in try server.listener() }
    let sockets = listeners.map(\.socket)
    async let told = withCheckedContinuation { told in
      Thread.detachNewThread { told.resume(returning: countOfTold(sockets)) }
    }

    let count = ProcessInfo.processInfo.environment["CHANGES"].flatMap(Int.init) ?? 40
    let early = try server.changes(count / 4)
    let half = try server.memory()
    let late = try server.changes(count * 3 / 4)
    let full = try server.memory()
    try server.rename(1)
    #expect(await told == listeners.count)
    withExtendedLifetime((listeners, stalled)) {}

    let times = (early + late).sorted()
    print(
      """
      1,000 clients, 200 of them stalled, \(count) changes: \
      PATCH p50 \(times[times.count / 2]), p99 \(times[times.count * 99 / 100]); \
      memory \(alone) MB before, \(half) MB after a quarter of them, \(full) MB after all
      """)
    #expect(full < 400)
    #expect(full - half < 50, "memory grows with the changes, from \(half) to \(full) MB")
  }
}

extension RunningServer {
  /// The most memory that was resident since the start, in MB.
  func memory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return try #require(Int(line?.split(separator: " ").dropFirst().first ?? "")) / 1_000
  }

  /// Renames a to-do repeatedly, on one connection.
  ///
  /// - Returns: how long each answer took.
  fileprivate func changes(_ count: Int) throws -> [Duration] {
    let client = try Client(port)
    return try (1...count).map { number in
      try ContinuousClock().measure {
        client.request("/todos/1", "PATCH", body: #"{"title": "\#(number)"}"#)
        if try client.answer().status != 200 { throw ConnectionEnded() }
      }
    }
  }
}

/// Reads the input of many clients, in one thread, until each has seen the last event.
///
/// - Returns: how many have seen it.
private func countOfTold(_ sockets: [Int32]) -> Int {
  var waiting = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  var tails: [Int32: [UInt8]] = [:]
  var told = 0
  while !waiting.isEmpty {
    poll(&waiting, nfds_t(waiting.count), -1)
    waiting.removeAll { one in
      if one.revents == 0 { return false }
      var buffer = tails[one.fd, default: []] + [UInt8](repeating: 0, count: 65_536)
      let known = buffer.count - 65_536
      let count = buffer.withUnsafeMutableBytes {
        recv(one.fd, $0.baseAddress.map { $0 + known }, 65_535, 0)
      }
      if count <= 0 { return true }
      tails[one.fd] = Array(buffer[..<(known + count)].suffix(5))
      let isTold = buffer.withUnsafeBytes { bytes in
        bytes.assumingMemoryBound(to: CChar.self).baseAddress.map { strstr($0, "\"last\"") != nil }
      }
      if isTold == true { told += 1 }
      return isTold == true
    }
  }
  return told
}
