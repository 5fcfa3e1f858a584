import Foundation
import LocalServers
import NATSLog
import Replication
import Testing

/// What every engine does, whatever else it may do: the contract of `Log`.
func contract(of make: () throws -> any Log) async throws {
  let (first, second) = (try make(), try make())

  // Appends get one position after the other, and every reader sees them there.
  for number in 1...20 {
    #expect(
      try await patiently {
        try await first.append([UInt8(number), 0, 10, 255], within: .seconds(2))
      } == number)
  }
  for log in [first, second] {
    #expect(try await entries(of: log, from: 1, to: 20).map(\.bytes[0]) == Array(1...20))
  }
  #expect(try await entries(of: second, from: 7, to: 20).first?.position == 7)

  // A reader at the end waits; what is appended meanwhile comes.
  async let next = entries(of: second, from: 21, to: 21)
  let position = try await first.append([21], within: .seconds(5))
  #expect(try await next == [LogEntry(position: position, bytes: [21])])

  // Nothing comes: no entries, and no error, also beyond the end.
  #expect(try await first.read(from: 22, within: .milliseconds(50)).entries == [])
  #expect(try await first.read(from: 100, within: .milliseconds(50)).entries == [])

  // An entry may be as large as is promised.
  let large = [UInt8](repeating: 7, count: SharedLimits.entry)
  _ = try await first.append(large, within: .seconds(5))
  #expect(try await entries(of: second, from: 22, to: 22)[0].bytes == large)

  // A task that waits can be cancelled.
  let waiting = Task { try await second.read(from: 23, within: .seconds(600)) }
  waiting.cancel()
  _ = await waiting.result

  // Snapshots: none, one of several chunks, an older one, a newer one; trimming.
  #expect(try await first.snapshot() == nil)
  let big = Snapshot(position: 10, bytes: (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
  try await first.keep(big, trimmingBelow: 0)
  try await wait(for: big, in: second)
  try await patiently {
    try await second.keep(Snapshot(position: 5, bytes: [1]), trimmingBelow: 0)
  }
  try await wait(for: big, in: first)
  let newer = Snapshot(position: 20, bytes: [2])
  try await patiently { try await second.keep(newer, trimmingBelow: 15) }
  try await wait(for: newer, in: first)
  await #expect(throws: LogError.trimmed(first: 15)) {
    try await second.read(from: 3, within: .seconds(1))
  }
  #expect(try await entries(of: first, from: 15, to: 22).count == 8)
}

/// Reads until `last` is there; every read must go on where the one before ended.
func entries(of log: any Log, from first: Position, to last: Position) async throws -> [LogEntry] {
  var entries: [LogEntry] = []
  while entries.last?.position ?? 0 < last {
    let page = try await log.read(from: first + entries.count, within: .seconds(1))
    entries += page.entries
  }
  #expect(entries.map(\.position) == Array(first...last))
  return entries
}

/// Waits until a log shows a snapshot: a server that follows another one may answer with an older one.
func wait(for snapshot: Snapshot, in log: any Log) async throws {
  try await patiently {
    let found = try await log.snapshot()
    if found != snapshot { throw LogError.cut("its snapshot is at \(found?.position ?? 0)") }
  }
}

/// Tries again what a server refuses that has just been started.
func patiently<Value>(_ body: () async throws -> Value) async throws -> Value {
  let end = ContinuousClock.now + .seconds(30)
  while true {
    do { return try await body() } catch let error as LogError {
      if ContinuousClock.now > end { throw error }
      try await Task.sleep(for: .milliseconds(100))
    }
  }
}

/// Whether a variable of the environment leaves tests out whose server cannot be installed.
///
/// Where it is not set they fail, and say what to install.
func isSet(_ variable: String) -> Bool {
  ProcessInfo.processInfo.environment[variable] != nil
}
