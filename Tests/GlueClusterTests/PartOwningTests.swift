import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

private struct Row: Codable, Equatable, Sendable, Identifiable {
  let id: Int
  var sent = 0
  var rows: [Row] = []
}

private struct List: Codable, Equatable, Sendable {
  var rows = [Row(id: 1), Row(id: 2, rows: [Row(id: 3)])]
}

private enum RowIntent: Intent, Codable { case send, sent }

@Sendable private func own(row: inout Row, intent: RowIntent) -> [any Effect] {
  switch intent {
  case .send: return [Mail(text: "row \(row.id)")]
  case .sent: row.sent += 1
  }
  return []
}

private let list: Reducer<List> = combineReducers {
  forEach(
    \.rows,
    use: combineReducers {
      own
      forEach(\.rows, use: own)
    })
}

@Suite(.tags(.threads), .jumpingTime) struct PartOwningTests {
  private let log = MemoryLog()

  private func replica(_ label: String) -> SharedStore<List, Void> {
    SharedStore(
      state: List(), versions: [.version(1, reducer: list)],
      format: JournalFormat(
        of: List.self,
        intents: [.named("row", RowIntent.self), .elements("in", id: Int.self)],
        effects: [.atLeastOnce("mail", Mail.self)]),
      replica: label, log: log.connection(), clock: JumpingClock(), report: { _ in })
  }

  /// Its handler knows nothing of rows.
  @Test func theEffectOfANestedRowIsDoneByTheNextOwnerAndItsResultGoesToTheRow() async throws {
    let (first, begun) = (replica("first"), Noted<String>())
    first.own(Mail.self) { mail, _ in
      begun.add(mail.text)
      try await ContinuousClock().sleep(for: .seconds(3_600))
      return []
    }
    let send = ElementIntent(id: 2, intent: ElementIntent(id: 3, intent: RowIntent.send))
    try await first.send(send)
    await begun.wait { $0 == ["row 3"] }
    first.crash()
    let next = replica("next")
    next.own(Mail.self) { mail, _ in
      begun.add(mail.text)
      return [RowIntent.sent]
    }
    for await rows in next.store.values(of: \.state.rows) where rows[1].rows[0].sent == 1 { break }
    try await next.catchUp()
    #expect(next.store.state.state.rows == [Row(id: 1), Row(id: 2, rows: [Row(id: 3, sent: 1)])])
    #expect(begun.all == ["row 3", "row 3"] && next.status.owed == 0)
    await next.close()
  }

  @Test func theIntentsOfGivingUpGoToTheRowToo() async throws {
    let shared = replica("only")
    shared.own(Mail.self, giveUp: { _, _ in [RowIntent.sent] }) { _, _ in
      throw CancellationError()
    }
    try await shared.send(ElementIntent(id: 1, intent: RowIntent.send))
    for await rows in shared.store.values(of: \.state.rows) where rows[0].sent == 1 { break }
    try await shared.catchUp()
    #expect(shared.store.state.state.rows == [Row(id: 1, sent: 1), List().rows[1]])
    #expect(shared.status.owed == 0)
    await shared.close()
  }
}
