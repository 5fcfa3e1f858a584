import Glue
import GlueCluster
import GlueJournal
import Testing

@testable import LedgerProgram

/// The state of the next release, which is another type, as it is in another program.
private struct NextLedger: Codable, Equatable, Sendable {
  var lines: [String] = []
  var mailed: [String] = []

  /// The states of the release before lack it.
  var title: String?
}

private func nextLedger(state: inout NextLedger, intent: LedgerIntent) -> [any Effect] {
  var old = Ledger(lines: state.lines, mailed: state.mailed)
  defer { (state.lines, state.mailed) = (old.lines, old.mailed) }
  return ledger(state: &old, intent: intent)
}

private let nextFormat = JournalFormat(
  of: NextLedger.self, intents: [.named("ledger", LedgerIntent.self)],
  effects: [.atLeastOnce("mail", Mail.self)])

/// A replica of either release.
private struct Member: Sendable {
  let send: @Sendable (LedgerIntent) async throws -> Void
  let upgrade: @Sendable () async throws -> Void
  let close: @Sendable () async -> Void

  /// Its state after it has caught up.
  let contents: @Sendable () async throws -> (state: NextLedger, version: Int)

  init<State: Codable & Sendable>(
    _ versions: [SharedVersion<State>], _ state: State, _ format: JournalFormat<State>,
    label: String, log: any Log, _ contents: @escaping @Sendable (State) -> NextLedger
  ) {
    let shared = SharedStore(
      state: state, versions: versions, format: format, replica: label, log: log,
      deadline: .seconds(60), snapshotEvery: 20
    ) { event in
      // The types differ, and the states don't.
      if case .differs = event { Issue.record("\(label): \(event)") }
    }
    send = { try await shared.sendSurely($0) }
    upgrade = { try await shared.upgrade(to: 2) }
    close = { await shared.close() }
    self.contents = {
      try await shared.catchUp()
      return (contents(shared.store.state.state), shared.status.version)
    }
  }

  static func old(_ label: String, _ log: any Log) -> Member {
    Member([.version(1, reducer: ledger)], Ledger(), ledgerFormat, label: label, log: log) {
      NextLedger(lines: $0.lines, mailed: $0.mailed)
    }
  }

  static func new(_ label: String, _ log: any Log) -> Member {
    let versions = [
      SharedVersion<NextLedger>.version(1, reducer: nextLedger),
      .version(2, reducer: nextLedger) { $0.title = "\($0.lines.count) lines" },
    ]
    return Member(versions, NextLedger(), nextFormat, label: label, log: log) { $0 }
  }
}

/// Restarts three replicas as the next release, one by one while all send, and upgrades.
func upgradeUnderLoad(on make: @escaping @Sendable () throws -> any Log) async throws {
  var members = try (0..<3).map { Member.old("\($0)", try make()) }
  try await members[0].send(.write("first"))
  for number in 0..<3 {
    // The others send while this one restarts.
    let others = (0..<3).filter { $0 != number }.map { ($0, members[$0]) }
    async let sending: Void = withThrowingTaskGroup { group in
      for (other, member) in others {
        group.addTask {
          for line in 0..<20 { try await member.send(.write("\(number).\(other).\(line)")) }
        }
      }
      try await group.waitForAll()
    }
    await members[number].close()
    members[number] = .new("\(number)", try make())
    try await members[number].send(.write("\(number) is back"))
    try await sending
  }
  try await members[2].upgrade()
  try await members[0].send(.write("last"))
  for member in members {
    let (state, version) = try await member.contents()
    #expect(state.lines.count == 3 * 41 + 2 && Set(state.lines).count == state.lines.count)
    #expect(state.title == "\(3 * 41 + 1) lines")
    #expect(version == 2)
  }
  for member in members { await member.close() }
}
