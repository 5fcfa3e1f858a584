import Glue
import Testing

@Suite("Older names")
struct OlderNamesTests {
  @Test("a program that uses them compiles, and does what it did")
  func stillWork() {
    let uses: any OlderNames = Uses()
    uses.check()
  }
}

/// Calls the deprecated uses, because a call through a protocol warns of nothing.
private protocol OlderNames {
  func check()
}

private struct Uses: OlderNames {
  @available(*, deprecated)
  func check() {
    history()
    elements()
    cancellations()
    views()
    lastingEffects()
  }

  @available(*, deprecated)
  private func history() {
    let erased: Reducer<Counter> = combineReducers { counter }
    let reducers = [
      undoable(counter, limit: 9, filter: { $0 is CounterIntent }),
      undoable(erased, limit: 9, group: { _ in 1 }, filter: { _ in true }),
    ]
    for reducer in reducers {
      var history = History(Counter())
      _ = reducer(&history, CounterIntent.add(1))
      #expect(history.present.value == 1)
      #expect(history.undoCount == 1)
    }
    var history = History(Counter())
    _ = undoable(erased, limit: 9, filter: { _ in false })(&history, CounterIntent.add(1))
    _ = undoable(counter, limit: 9, filter: { _ in false })(&history, CounterIntent.add(1))
    #expect(history.present.value == 2)
    #expect(history.undoCount == 0)
  }

  @available(*, deprecated)
  private func elements() {
    let element = ElementIntent(id: 1, intent: CounterIntent.add(2))
    #expect(element.of(CounterIntent.self) == .add(2))
    #expect(element.of(TodoIntent.self) == nil)
  }

  @available(*, deprecated)
  private func cancellations() {
    #expect(CancelEffects(part: 1).isPart && !CancelEffects(id: 1).isPart)
  }

  @available(*, deprecated)
  private func views() {
    let store = Store(state: House(), reducer: house)
    let todo = store.view(
      of: { $0.todos["a"] },
      intent: { (intent: TodoIntent) in ElementIntent(id: "a", intent: intent) })
    todo.view(of: { $0?.title }, intent: { (intent: TitleIntent) in .title(intent) })
      .dispatch(.set("new"))
    #expect(store.state.todos["a"]?.title == "new")
  }

  @available(*, deprecated)
  private func lastingEffects() {
    let lasting = Sound().lasting(id: 1)
    let starting = Watching()
    let store = Store(
      state: Counter(), reducer: counter, monitors: [starting],
      lasting: { $0.value == 1 ? [lasting] : [] }, report: { _ in })
    store.dispatch(CounterIntent.add(1))
    store.dispatch(CounterIntent.add(1))
    let commits = starting.commits.lines
    #expect(commits.map(\.began) == [[lasting], []])
    #expect(commits.map(\.ceased) == [[], [lasting]])
  }

  private struct Watching: Monitor {
    let commits = Transcript<Commit<Counter>>()

    func observe(_ commit: Commit<Counter>) { commits.write(commit) }
  }

  private struct Sound: Effect, Equatable {}
}
