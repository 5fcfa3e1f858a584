import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("What a program may mean is no problem", .unwatched)
struct NoProblemTests {
  private struct Row: Sendable, Identifiable { let id: Int }
  private enum RowIntent: Intent { case change }
  @Sendable private static func row(row: inout Row, intent: RowIntent) -> [any Effect] { [] }

  private let problems = Transcript<Problem>()

  private func rows(_ reducer: @escaping Reducer<[Row]>) -> Store<[Row]> {
    Store(state: [Row(id: 1)], reducer: reducer, report: problems.write)
  }

  @Test("to cancel an id that no effect has")
  func unknownID() {
    rows { _, _ in [CancelEffects(id: "unknown")] }.dispatch(RowIntent.change)
    #expect(problems.lines == [])
  }

  @Test("to reduce an intent twice")
  func twoReducers() {
    let twice: Reducer<[Row]> = combineReducers {
      withKey(\.[0], use: Self.row)
      withKey(\.[0], use: Self.row)
    }
    rows(twice).dispatch(RowIntent.change)
    #expect(problems.lines == [])
  }

  @Test("to give effects with one id two policies")
  func twoPolicies() async {
    let store = Store(
      state: [Row(id: 1)],
      reducer: { (_: inout [Row], _: RowIntent) in
        [Work(name: "a").scheduled(.latest, id: 1), Work(name: "b").scheduled(.leading, id: 1)]
      }, report: problems.write)
    store.on(Work.self) { _, _ async in }
    store.dispatch(RowIntent.change)
    await store.settled()
    #expect(problems.lines == [])
  }
}
