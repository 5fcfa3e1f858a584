import Glue
import GlueLogging
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving from Reflux")
struct MovingFromReflux {
  struct Counting: Sendable { var count = 0 }
  enum CountIntent: Intent { case increment, incrementLater }
  enum CountEffect: Effect, Equatable { case timeIsUp }

  func counting(state: inout Counting, intent: CountIntent) -> [any Effect] {
    switch intent {
    case .increment:
      state.count += 1
      return []
    case .incrementLater:
      return [CountEffect.timeIsUp.scheduled(.delay(.seconds(2)), id: "increment")]
    }
  }

  struct App: Sendable {
    var counting = Counting()
    var version = "?"
  }
  enum AppIntent: Intent { case start, versionIs(String) }
  enum AppEffect: Effect { case askVersion }

  func start(state: inout App, intent: AppIntent) -> [AppEffect] {
    switch intent {
    case .start: return [.askVersion]
    case .versionIs(let version): state.version = version
    }
    return []
  }

  struct Props {
    let title: String
    let increment: () -> Void
    let incrementLater: () -> Void

    init(_ app: StoreView<App, CountIntent>) {
      title = "\(app.version): \(app.counting.count)"
      increment = { app.dispatch(.increment) }
      incrementLater = { app.dispatch(.incrementLater) }
    }
  }

  private struct Service {
    let version = "1.0"
  }

  @Test("a counter with props")
  func example() async {
    let clock = TestClock()
    let service = Service()

    let store = Store(
      state: App(),
      reducer: combineReducers {
        start
        withKey(\.counting, use: counting)
      },
      monitors: [LogMonitor<App>()], clock: clock)

    store.on(AppEffect.self) { [service] effect, dispatch in
      switch effect {
      case .askVersion: dispatch(AppIntent.versionIs(service.version))
      }
    }
    store.on(CountEffect.self) { _, dispatch in dispatch(CountIntent.increment) }

    store.dispatch(AppIntent.start)
    let props = Props(store.view(of: \.self, intent: CountIntent.self))
    props.increment()
    props.incrementLater()

    #expect(props.title == "1.0: 0")
    await clock.advance(by: .seconds(2))
    #expect(store.state.counting.count == 2)
  }
}
