import Glue
import GlueTesting
import Testing

/// Reflux's counter: a state of three parts, an echo of every intent, a service, a delayed
/// increment, and props for a view, mapped from the state and dispatch.
@Suite("Walkthrough: Reflux's counter")
struct RefluxCounterTests {
  private struct Count: Sendable { var counter = 0 }
  private struct Settings: Sendable { var isLoud = false }
  private struct Router: Sendable { var path = "/" }
  private struct App: Sendable {
    var count = Count()
    var settings = Settings()
    var router = Router()
  }

  private enum CountIntent: Intent {
    case increment
    case delayIncrement(Duration)
  }
  private enum SettingsIntent: Intent { case toggleLoud }
  private enum RouterIntent: Intent { case open(String) }

  private static let reducer: Reducer<App> = combineReducers(
    withKey(\.count) { (count: inout Count, intent: CountIntent) -> [any Effect] in
      switch intent {
      case .increment:
        count.counter += 1
        return []
      case .delayIncrement(let delay):
        return [Increment().scheduled(.delay(delay), id: "increment")]
      }
    },
    withKey(\.settings) { (settings: inout Settings, _: SettingsIntent) -> [any Effect] in
      settings.isLoud.toggle()
      return []
    },
    withKey(\.router) { (router: inout Router, intent: RouterIntent) -> [any Effect] in
      if case .open(let path) = intent { router.path = path }
      return []
    })

  private struct Increment: Effect {}

  /// The program's access to the outside world; handlers and props hold it.
  private struct Service: Sendable {
    let version = "1.0"
    let step: @Sendable () async -> CountIntent = { .increment }
  }

  private struct Props {
    let version: String
    let count: String
    let increment: () -> Void
    let delayIncrement: (Duration) -> Void

    init(_ view: StoreView<Count, CountIntent>, _ service: Service) {
      version = "Version \(service.version)"
      count = "\(view.counter) so far"
      increment = { view.dispatch(.increment) }
      delayIncrement = { view.dispatch(.delayIncrement($0)) }
    }
  }

  @Test("props show the count, and count at once or later, with every intent echoed")
  func counting() async {
    let echo = Transcript<String>()
    let echoing: Middleware<App> = { _, _ in
      { next in
        { intent in
          echo.write("\(intent)")
          next(intent)
        }
      }
    }
    let clock = TestClock()
    let service = Service()
    let store = Store(state: App(), reducer: Self.reducer, middleware: [echoing], clock: clock)
    store.on(Increment.self) { _, dispatch async in dispatch(await service.step()) }
    let view = store.view(of: \.count, intent: CountIntent.self)

    let props = Props(view, service)
    #expect(props.version == "Version 1.0")
    #expect(props.count == "0 so far")
    props.increment()
    props.delayIncrement(.seconds(2))
    #expect(Props(view, service).count == "1 so far")
    await clock.advance(by: .seconds(2))
    #expect(Props(view, service).count == "2 so far")

    store.dispatch(SettingsIntent.toggleLoud)
    store.dispatch(RouterIntent.open("/home"))
    #expect(store.state.settings.isLoud)
    #expect(store.state.router.path == "/home")
    #expect(echo.lines.count == 5)
    #expect(echo.lines[2] == "increment")
  }
}
