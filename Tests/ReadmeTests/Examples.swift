import Dispatch
import Glue
import Testing

// The README's Swift code, word for word but for its indentation; `ReadmeTests` compares them.

struct AppState { var value = 0 }
enum AppIntent: Intent { case increment, decrement }
enum AppEffect: Effect { case playSound }

func reducer(state: inout AppState, intent: AppIntent) -> [Effect] {
  switch intent {
  case .increment:
    state.value += 1
    if state.value % 5 == 0 { return [AppEffect.playSound] }
    return []
  case .decrement where state.value > 0:
    state.value -= 1
    return []
  default:
    return []
  }
}

class Player {
  func play() { print("\u{7}", terminator: "") }
}

class SoundEffectHandler: EffectHandler {
  private var player = Player()
  func handle(effect: Effect, dispatch: @escaping DispatchFunc) {
    guard case AppEffect.playSound = effect else { return }
    player.play()
  }
}

enum ClockIntent: Intent { case tick, ticked(at: ContinuousClock.Instant) }
enum ClockEffect: Effect { case readTime }

struct Todo: Sendable, Identifiable {
  var id: Int
  var isDone = false
}
enum TodoIntent: Intent { case toggle }

func todoReducer(todo: inout Todo, intent: TodoIntent) -> [Effect] {
  switch intent {
  case .toggle: todo.isDone.toggle()
  }
  return []
}

struct House: Sendable {
  var counter = History(AppState())
  var todos = [Todo(id: 1), Todo(id: 2)]
}

@Test func everyFifthIncrementPlaysASound() {
  var state = AppState(value: 4)
  let effects = reducer(state: &state, intent: .increment)
  #expect(state.value == 5)
  #expect(effects as? [AppEffect] == [.playSound])
}

@Suite("The README's examples run")
struct ExampleTests {
  @Test("the counter")
  func counter() {
    let store = Store(state: AppState(), reducer: reducer)
    store.add(effectHandler: SoundEffectHandler())
    let subscription = store.subscribe(selector: \.value) { print("Counter: \($0)") }
    for _ in 1...5 { store.dispatch(AppIntent.increment) }

    #expect(store.state.value == 5)
    withExtendedLifetime(subscription) {}
  }

  @Test("the clock")
  func clock() {
    let clock = Store(state: ContinuousClock.Instant?.none) { (state, intent: ClockIntent) in
      switch intent {
      case .tick:
        return [ClockEffect.readTime]
      case .ticked(let instant):
        state = instant
        return []
      }
    }

    clock.on(ClockEffect.self) { effect, dispatch in
      switch effect {
      case .readTime: dispatch(ClockIntent.ticked(at: .now))
      }
    }

    clock.dispatch(ClockIntent.tick)
    print(clock.state != nil)

    #expect(clock.state != nil)
  }

  @Test("the house")
  func larger() {
    let house = Store(
      state: House(),
      reducer: combineReducers(
        withKey(\.counter, use: undoable(reducer, limit: 100)),
        forEach(\.todos, use: todoReducer)))
    house.dispatch(AppIntent.increment)
    house.dispatch(HistoryIntent.undo)
    house.dispatch(ElementIntent(id: 2, intent: TodoIntent.toggle))
    print(house.state.todos[1].isDone)

    #expect(house.state.todos.map(\.isDone) == [false, true])
    #expect(house.state.counter.redoCount == 1)
  }

  @Test("a delivery on a queue")
  func background() {
    let background = Store(
      state: AppState(), reducer: reducer, delivery: .queue(DispatchQueue(label: "deliveries")))

    background.dispatch(AppIntent.increment)
    #expect(background.state.value == 1)
  }
}
