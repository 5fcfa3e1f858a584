import Glue
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving from Reflow")
struct MovingFromReflow {
  struct Counter: Sendable, Equatable {
    var count = 0
    var name = ""
  }
  enum CounterIntent: Intent { case increment, load, loaded(name: String) }
  enum CounterEffect: Effect { case loadName }

  func counter(state: inout Counter, intent: CounterIntent) -> [CounterEffect] {
    switch intent {
    case .increment: state.count += 1
    case .load: return [.loadName]
    case .loaded(let name): state.name = name
    }
    return []
  }

  struct App: Sendable { var counter = Counter() }

  private struct Service: Sendable {
    func name() async -> String { "clicks" }
  }

  @Test("a counter with a name that is loaded")
  func example() async {
    let service = Service()

    let store = Store(
      state: App(),
      reducer: combineReducers {
        withKey(\.counter, use: counter)
      },
      middleware: [thunkMiddleware()])

    let increment = Thunk<App> { dispatch, getState in
      if getState().counter.count < 10 { dispatch(CounterIntent.increment) }
    }
    let load = AsyncThunk<App> { dispatch, _ in
      dispatch(CounterIntent.loaded(name: await service.name()))
    }
    store.dispatch(increment)
    store.dispatch(load)

    await store.settled()
    #expect(store.state.counter == Counter(count: 1, name: "clicks"))
    store.dispatch(CounterIntent.loaded(name: ""))

    store.on(CounterEffect.self) { effect, dispatch in
      switch effect {
      case .loadName: dispatch(CounterIntent.loaded(name: await service.name()))
      }
    }
    await store.perform(CounterIntent.load)

    #expect(store.state.counter.name == "clicks")
  }
}
