import Glue
import GlueTesting
import Testing

// The code in the comments on parts and their effects.

@Suite("Comments on parts of the state")
struct StatePartsComments {
  private struct Row: Sendable, Identifiable, Equatable {
    let id: Int
    var file = ""
    var isWatched = false
    var rows: [Row] = []
  }

  private enum TodoIntent: Intent { case share }
  private enum RowIntent: Intent { case load, cancel(Int), remove(Int), watch }

  private struct Share: Effect, Equatable {}
  private struct Load: Effect, Equatable {}
  private struct Watch: Effect, Equatable { var file = "" }

  private enum Screen { case detail }
  private struct List: Sendable, Equatable { var rows = [Row(id: 2)] }
  private struct Settings: Sendable, Equatable { var accounts: [Row] = [] }

  private struct App: Sendable, Equatable {
    var rows = [Row(id: 2)]
    var detail: Row?
    var lists: [Row] = []
    var settings = Settings()
  }

  enum SessionIntent: Intent {
    static let leavesParts = true
    case expired
  }

  @Sendable private static func todo(row: inout Row, intent: TodoIntent) -> [any Effect] {
    [Share()]
  }

  @Test("effects inside parts")
  func inside() async {
    let list: Reducer<List> = forEach(\.rows, use: Self.todo)
    var state = List()
    #expect(list(&state, ElementIntent(id: 2, intent: TodoIntent.share)) == [Share().inside(2)])

    let test = TestStore(state: state, reducer: list)
    await test.send(TodoIntent.share, in: 2, effects: [Share().inside(2)])
    await test.finish()
    #expect(SessionIntent.leavesParts)
  }

  private func reduce(_ rows: inout [Row], _ intent: RowIntent) -> [any Effect] {
    switch intent {
    case .load: return [Load().scheduled(.latest, id: "load")]

    case .cancel(let id): return [CancelEffects(id: PartID(id, "load"))]
    case .remove(let id):
      rows.removeAll { $0.id == id }
      return [CancelEffects(part: id)]

    case .watch:
      rows[0].isWatched = true
      return []
    }
  }

  @Test("ids in parts")
  func ids() {
    var rows = [Row(id: 2)]
    #expect(reduce(&rows, .load) == [Load().scheduled(.latest, id: "load")])
    #expect(reduce(&rows, .cancel(2)) == [CancelEffects(id: "load").inside(2)])
    #expect(reduce(&rows, .remove(2)) == [CancelEffects(part: 2)] && rows.isEmpty)
  }

  @Sendable private static func row(row: inout Row, intent: RowIntent) -> [any Effect] {
    row.isWatched = true
    return []
  }

  @Test("lasting effects of parts")
  func lasting() async {
    @Sendable
    func watching(row: Row) -> [LastingEffect] {
      row.isWatched ? [Watch(file: row.file).lasting(id: "watch")] : []
    }

    let app: Reducer<App> = forEach(\.rows, use: Self.row)

    let store = Store(
      state: App(), reducer: app, lasting: { state in lastingEach(state.rows, watching) })

    #expect(store.state == App())
    _ = Store(
      state: App(), reducer: app,
      lasting: { state in lastingEach(state.detail, id: Screen.detail, watching) })

    let test = TestStore(
      state: App(), reducer: app, lasting: { state in lastingEach(state.rows, watching) })
    await test.withExhaustivity(.off) {
      await test.send(RowIntent.watch, in: 2, began: [Watch().lasting(id: "watch").inside(2)])
    }
    await test.finish()
  }

  private func rows() -> Parts<Row> { .each(\.rows, rows()) }

  @Test("parts of a state")
  func parts() {
    let store = Store(state: App(), reducer: { (_: inout App, _: RowIntent) in [] })
    store.endEffects(with: .each(\.rows), .part(\.detail, id: Screen.detail))
    let nested: [Parts<App>] = [
      .each(\.lists, .each(\.rows)),
      .within(\.settings, .each(\.accounts)),
    ]
    store.endEffects(with: nested[0], nested[1])
    #expect(store.state == App())
  }
}
