import Glue
import GlueCluster
import GlueJournal

/// Every line that was sent, in order; the demonstration and the tests count them.
struct Ledger: Codable, Equatable, Sendable {
  var lines: [String] = []
  var mailed: [String] = []
}

enum LedgerIntent: Intent, Codable {
  case write(String)
  case order(String)
  case mailed(String)
}

struct Mail: Effect, Codable {
  let text: String
}

func ledger(state: inout Ledger, intent: LedgerIntent) -> [any Effect] {
  switch intent {
  case .write(let line): state.lines.append(line)
  case .order(let text): return [Mail(text: text)]
  case .mailed(let text): state.mailed.append(text)
  }
  return []
}

let ledgerFormat = JournalFormat(
  of: Ledger.self, intents: [.named("ledger", LedgerIntent.self)],
  effects: [.atLeastOnce("mail", Mail.self)])

func sharedLedger(
  on log: any Log, _ replica: String, deadline: Duration = .seconds(15),
  snapshotEvery: Int = 10_000, lease: Duration = .seconds(3),
  report: (@Sendable (SharedStoreEvent) -> Void)? = nil
) -> SharedStore<Ledger, Void> {
  SharedStore(
    state: Ledger(), versions: [.version(1, reducer: ledger)], format: ledgerFormat,
    replica: replica, log: log, deadline: deadline, snapshotEvery: snapshotEvery,
    lease: lease, report: report)
}

extension SharedStore where Local == Void {
  /// Sends, and retries while servers start.
  func sendSurely(_ intent: LedgerIntent) async throws {
    for _ in 0..<4 {
      do {
        try await send(intent)
        return
      } catch SharedStoreError.notSent {}
    }
    try await send(intent)
  }
}
