import Glue
import Testing

// The code of the article, word for word but for its indentation, in a module whose code belongs to
// the main actor by default. `.ci/main-actor` runs it as a program, in all modes.

nonisolated struct Counter { var value = 0 }
enum CounterIntent: Intent { case increment, decrement }
enum CounterEffect: Effect { case ring }

nonisolated func counter(state: inout Counter, intent: CounterIntent) -> [Effect] {
  switch intent {
  case .increment:
    state.value += 1
    return state.value % 5 == 0 ? [CounterEffect.ring] : []
  case .decrement:
    state.value = max(0, state.value - 1)
    return []
  }
}

final class Bell: EffectHandler {
  func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
    print("\u{7}", terminator: "")
  }
}

class Screen {
  private(set) var title = ""
  private(set) var beeps = 0
  private var subscription: Subscription?

  func appear(with store: Store<Counter>) {
    subscription = store.subscribe(selector: \.value) { @MainActor [weak self] value in
      self?.title = "Count: \(value)"
    }
    store.on(CounterEffect.self) { @MainActor [weak self] effect, dispatch in
      switch effect {
      case .ring: self?.beeps += 1
      }
    }
  }
}

@Suite("A module of the main actor")
struct MainActorTests {
  @Test("the article's program")
  func program() async {
    let store = Store(state: Counter(), reducer: counter)
    store.add(effectHandler: Bell())
    let subscription = store.subscribe(selector: \.value) { print("Counter: \($0)") }
    for _ in 1...5 { store.dispatch(CounterIntent.increment) }

    let screen = Screen()
    screen.appear(with: store)
    for _ in 1...5 { store.dispatch(CounterIntent.increment) }
    print(screen.title, screen.beeps)

    #expect(screen.title == "Count: 10")
    #expect(screen.beeps == 1)
    await Task.detached { for _ in 1...5 { store.dispatch(CounterIntent.increment) } }.value
    await store.delivered()
    #expect(screen.title == "Count: 15")
    #expect(screen.beeps == 2)
    withExtendedLifetime(subscription) {}
  }

  @Test("a reference to a method is called on the main actor too")
  func reference() async {
    class Label {
      var values: [Int] = []
      func show(_ value: Int) {
        MainActor.assertIsolated()
        values.append(value)
      }
    }
    let label = Label()
    let store = Store(state: Counter(), reducer: counter)
    let subscription = store.subscribe(selector: \.value, handler: label.show)
    await Task.detached { store.dispatch(CounterIntent.increment) }.value
    await store.delivered()
    #expect(label.values == [0, 1])
    withExtendedLifetime(subscription) {}
  }

  @Test("a block of handlers that belong to the main actor")
  func block() async {
    class Lamp: EffectHandler {
      private(set) var flashes = 0
      func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
        MainActor.assertIsolated()
        flashes += 1
      }
    }
    let (screen, lamp) = (Screen(), Lamp())
    let store = Store(
      state: Counter(value: 4), reducer: counter,
      first: [CounterIntent.increment],
      handlers: { handlers in
        handlers.add(effectHandler: lamp)
      })
    #expect(lamp.flashes == 1)
    screen.appear(with: store)
    #expect(screen.title == "Count: 5")

    let elsewhere = await Task.detached {
      Store(
        state: Counter(value: 4), reducer: counter,
        first: [CounterIntent.increment],
        handlers: { handlers in
          handlers.on(CounterEffect.self) { @MainActor _, dispatch in
            dispatch(CounterIntent.increment)
          }
        })
    }.value
    screen.appear(with: elsewhere)
    await elsewhere.settled()
    #expect(screen.title == "Count: 6")
    withExtendedLifetime(store) {}
  }
}
