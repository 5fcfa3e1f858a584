import Foundation
import Glue
import GlueLogging
import GlueTesting
import Synchronization
import Testing

// The code of the article, word for word but for its indentation, which `ArticleTests` compares, and
// more that holds what the article says without code.

@MainActor protocol Renderer: AnyObject {
  associatedtype ViewModel: Equatable, Sendable
  func render(viewModel: ViewModel)
}

extension Store {
  @MainActor func render<R: Renderer>(
    _ viewModel: @escaping @Sendable (State) -> R.ViewModel, by renderer: R
  ) -> Subscription {
    subscribe(selector: viewModel) { @MainActor [weak renderer] in
      renderer?.render(viewModel: $0)
    }
  }
}

func onQueue<State>(_ queue: DispatchQueue) -> Middleware<State> {
  { _, _ in
    { next in
      { intent in queue.async { next(intent) } }
    }
  }
}

@Suite("Moving from fudux")
struct MovingFromFudux {
  struct Countdown: Equatable, Sendable { var minutes = 0 }
  enum CountdownIntent: Intent { case set(minutes: Int), tick }

  func countdown(state: inout Countdown, intent: CountdownIntent) -> [any Effect] {
    switch intent {
    case .set(let minutes): state.minutes = minutes
    case .tick: state.minutes -= 1
    }
    if state.minutes <= 0 { return [CancelEffects(id: "tick")] }
    return [Send(CountdownIntent.tick).scheduled(.debounce(.seconds(60)), id: "tick")]
  }

  @MainActor struct CountdownView {
    let countdown: ObservedStore<Countdown>

    var body: String { "\(countdown.minutes) minutes" }

    func tapped() { countdown.dispatch(CountdownIntent.set(minutes: 3)) }
  }

  @MainActor final class Window {
    private(set) var title = ""
    private var subscription: Subscription?

    func appear(with store: Store<Countdown>) {
      subscription = store.subscribe(selector: \.minutes) { @MainActor [weak self] minutes in
        self?.title = "\(minutes) minutes"
      }
    }
  }

  @Test("a view of an observed store counts down, with actions on a queue")
  func onAQueue() async {
    let queue = DispatchQueue(label: "actions")
    let clock = TestClock()
    let store = Store(
      state: Countdown(), reducer: countdown, middleware: [onQueue(queue)],
      monitors: [LogMonitor<Countdown>()], clock: clock)
    let view = await CountdownView(countdown: ObservedStore(store))

    await view.tapped()
    queue.sync {}
    #expect(await view.body == "3 minutes")
    await clock.advance(by: .seconds(60))
    queue.sync {}
    #expect(await view.body == "2 minutes")
    await store.shutdown()
  }

  @Test("a wait that is begun anew, and a window's title") @MainActor
  func waiting() async {
    let clock = TestClock()
    let store = Store(state: Countdown(), reducer: countdown, clock: clock)
    let window = Window()
    window.appear(with: store)
    #expect(window.title == "0 minutes")
    store.dispatch(CountdownIntent.set(minutes: 5))
    await clock.advance(by: .seconds(59))
    store.dispatch(CountdownIntent.set(minutes: 1))
    #expect(window.title == "1 minutes")
    await clock.advance(by: .seconds(59))
    #expect(store.state.minutes == 1)
    await clock.advance(by: .seconds(1))
    #expect(store.state.minutes == 0)
    await store.settled()
  }
}

@Suite("Moving from Reflux")
struct MovingFromReflux {
  struct Player: Equatable, Sendable {
    var song = 0
    var title = "?"
  }
  enum PlayerIntent: Intent, Equatable { case skip, skipLater(after: Duration), titleIs(String) }
  enum PlayerEffect: Effect, Equatable { case fetchTitle(song: Int), pauseEnded }

  func player(state: inout Player, intent: PlayerIntent) -> [any Effect] {
    switch intent {
    case .skip:
      state.song += 1
      return [PlayerEffect.fetchTitle(song: state.song).scheduled(.restarting, id: "title")]
    case .skipLater(let pause):
      return [PlayerEffect.pauseEnded.scheduled(.delay(pause), id: "skip")]
    case .titleIs(let title):
      state.title = title
      return []
    }
  }

  func echo(_ write: @escaping @Sendable (String) -> Void) -> Middleware<Player> {
    { _, _ in
      { next in
        { intent in
          dispatchPrecondition(condition: .onQueue(.main))
          write("\(intent)")
          next(intent)
        }
      }
    }
  }

  struct Props {
    let title: String
    let skip: () -> Void

    init(_ player: StoreView<Player, PlayerIntent>) {
      title = "\(player.song): \(player.title)"
      skip = { player.dispatch(.skip) }
    }
  }

  private struct Service: Sendable {
    func title(of song: Int) async -> String { "Song \(song)" }
  }

  @Test("a middleware that asserts the main queue gets every intent there") @MainActor
  func example() async {
    let clock = TestClock()
    let service = Service()
    let echoed = Mutex<[String]>([])
    let write = { @Sendable line in echoed.withLock { $0.append(line) } }

    let store = Store(state: Player(), reducer: player, middleware: [echo(write)], clock: clock)
    store.on(PlayerEffect.self) { @MainActor [service] effect, dispatch async in
      switch effect {
      case .fetchTitle(let song): dispatch(PlayerIntent.titleIs(await service.title(of: song)))
      case .pauseEnded: dispatch(PlayerIntent.skip)
      }
    }

    let view = store.view(of: \.self, intent: PlayerIntent.self)
    Props(view).skip()
    view.dispatch(.skipLater(after: .seconds(2)))
    await clock.advance(by: .seconds(2))
    await store.settled()

    #expect(Props(view).title == "2: Song 2")
    #expect(echoed.withLock { $0 }.contains("skip"))
  }
}

@Suite("Moving from Reflow")
struct MovingFromReflow {
  struct Books: Equatable, Sendable {
    var titles: [String] = []
    var hasFailed = false
  }
  enum BooksIntent: Intent { case loaded([String]), failed }

  func books(state: Books, intent: any Intent) -> Books {
    switch intent {
    case BooksIntent.loaded(let titles): return Books(titles: titles)
    case BooksIntent.failed: return Books(titles: state.titles, hasFailed: true)
    default: return state
    }
  }

  struct Library: Sendable { var books = Books() }

  private struct Server: Sendable {
    struct Unreachable: Error {}
    let isReachable: Bool
    func titles() async throws -> [String] {
      if isReachable { return ["Glue"] }
      throw Unreachable()
    }
  }

  @Test("one reducer is combined, and a closure may throw", arguments: [true, false])
  func example(isReachable: Bool) async {
    let server = Server(isReachable: isReachable)

    let library: Reducer<Library> = combineReducers {
      withKey(\.books) { (state: inout Books, intent: any Intent) -> [any Effect] in
        state = books(state: state, intent: intent)
        return []
      }
    }

    let store = Store(state: Library(), reducer: library, middleware: [thunkMiddleware()])
    let load = AsyncThunk<Library> { dispatch, _ in
      do {
        dispatch(BooksIntent.loaded(try await server.titles()))
      } catch {
        dispatch(BooksIntent.failed)
      }
    }
    store.dispatch(load)

    await store.settled()
    let titles = isReachable ? ["Glue"] : []
    #expect(store.state.books == Books(titles: titles, hasFailed: !isReachable))
  }
}

@Suite("Moving from the original Glue")
struct MovingFromOriginalGlue {
  struct Door { var isLocked = false }
  enum DoorIntent: Intent { case lock, unlock }
  enum DoorEffect: Effect { case click }

  func door(state: inout Door, intent: Intent) -> [Effect] {
    switch intent {
    case DoorIntent.lock where !state.isLocked:
      state.isLocked = true
      return [DoorEffect.click]
    case DoorIntent.unlock:
      state.isLocked = false
      return []
    default:
      return []
    }
  }

  final class Clicks: EffectHandler {
    private(set) var count = 0

    func handle(effect: Effect, dispatch: @escaping DispatchFunc) {
      guard case DoorEffect.click = effect else { return }
      count += 1
    }
  }

  @MainActor private final class Sign: Renderer {
    var text = ""
    func render(viewModel: String) { text = viewModel }
  }

  @Test("a renderer of the main actor, and an erased handler")
  @MainActor func renderer() {
    let store = Store(state: Door(), reducer: door)
    store.add(effectHandler: Clicks())
    let called = Mutex(false)
    let onMain = store.subscribe(on: .main, selector: \.isLocked) { _ in
      called.withLock { $0 = true }
    }
    #expect(!called.withLock { $0 })
    onMain.cancel()
    let sign = Sign()
    let subscription = store.render({ $0.isLocked ? "locked" : "open" }, by: sign)
    store.dispatch(DoorIntent.lock)
    #expect(sign.text == "locked")
    subscription.cancel()
  }

  @Test("handlers on a queue again")
  func onAQueue() async {
    let printed = Mutex<[String]>([])
    let print = { @Sendable line in printed.withLock { $0.append(line) } }

    let store = Store(state: Door(), reducer: door, delivery: .queue(DispatchQueue(label: "door")))
    store.on(DoorEffect.self) { _, _ in print("click") }
    store.dispatch(DoorIntent.lock)
    await store.delivered()

    #expect(printed.withLock { $0 } == ["click"])
  }

  @Test("a middleware reduces on a queue, and waits for it where that was asked for")
  func reducingOnAQueue() {
    let queue = DispatchQueue(label: "reducing")
    let reducedThere = Mutex(false)
    let store = Store(
      state: Door(),
      reducer: { (state: inout Door, _: any Intent) -> [any Effect] in
        dispatchPrecondition(condition: .onQueue(queue))
        reducedThere.withLock { $0 = true }
        return []
      }, middleware: [onQueue(queue)])
    store.dispatch(DoorIntent.lock)
    queue.sync {}
    #expect(reducedThere.withLock { $0 })
  }
}
