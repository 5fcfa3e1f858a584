// A stopwatch with laps, in one file: `swift run StopwatchExample`.
//
// It shows what most programs need: a state of two features, an intent sent later, an effect that
// lasts while the state says so, and undo. At the end, it prints announced laps and stops everything.

import Glue
import GlueConsole

// MARK: - The model

struct Stopwatch: Equatable, Sendable {
  var watch = Watch()
  var laps = History(Laps())
}

struct Watch: Equatable, Sendable {
  var seconds = 0
  var isRunning = false
}

enum WatchIntent: Intent { case toggle, tick, reset }

func watch(state: inout Watch, intent: WatchIntent) -> [any Effect] {
  switch intent {
  case .toggle where !state.isRunning:
    state.isRunning = true
    // A stopwatch forgotten for a day is of no use.
    return [Send(WatchIntent.toggle).scheduled(.delay(.seconds(86_400)), id: "forgotten")]
  case .toggle:
    state.isRunning = false
    return [CancelEffects(id: "forgotten")]
  case .tick:
    state.seconds += 1
    return []
  case .reset:
    state = Watch()
    return [CancelEffects(id: "forgotten")]
  }
}

struct Laps: Equatable, Sendable {
  var seconds: [Int] = []
}

enum LapIntent: Intent { case lap(at: Int) }

enum LapEffect: Effect, Equatable { case announce(lap: Int, seconds: Int) }

func laps(state: inout Laps, intent: LapIntent) -> [any Effect] {
  switch intent {
  case .lap(let seconds):
    state.seconds.append(seconds)
    return [LapEffect.announce(lap: state.seconds.count, seconds: seconds)]
  }
}

/// The features together: laps can be undone, time cannot.
let stopwatch = combineReducers {
  withKey(\Stopwatch.watch, use: watch)
  withKey(\Stopwatch.laps, use: undoable(laps, limit: 100))
}

enum TickEffect: Effect, Equatable { case everySecond }

/// The clock ticks for as long as the stopwatch runs.
@Sendable func lasting(state: Stopwatch) -> [LastingEffect] {
  state.watch.isRunning ? [TickEffect.everySecond.lasting(id: "ticks")] : []
}

// MARK: - The handlers

struct Ticking: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: TickEffect, dispatch: @escaping DispatchFunc) async {
    while (try? await clock.sleep(for: .seconds(1))) != nil { dispatch(WatchIntent.tick) }
  }
}

@Sendable func announce(_ effect: LapEffect, on console: Console) {
  switch effect {
  case .announce(let lap, let seconds): console.write("Lap \(lap): \(time(seconds))")
  }
}

// MARK: - The program

func time(_ seconds: Int) -> String {
  "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
}

@main
enum Program {
  static func main() async {
    let console = Console()
    let store = Store(
      state: Stopwatch(), reducer: stopwatch, lasting: lasting,
      handlers: { handlers in
        handlers.on(LapEffect.self) { effect, _ in announce(effect, on: console) }
        handlers.add(effectHandler: Ticking(clock: ContinuousClock()))
      })
    let shown = [
      store.subscribe(selector: \.watch.seconds) { console.write(time($0)) },
      store.subscribe(selector: \.laps.present.seconds.count) { console.write("Laps: \($0)") },
    ]

    console.write("Enter starts and pauses, l notes a lap, u undoes one, r resets, q quits.")
    console.readLines { line in
      switch line {
      case "": store.dispatch(WatchIntent.toggle)
      case "l": store.dispatch(LapIntent.lap(at: store.state.watch.seconds))
      case "u": store.dispatch(HistoryIntent.undo)
      case "r": store.dispatch(WatchIntent.reset)
      case "q": console.end()
      default: console.write("What is \"\(line)\"?")
      }
    }
    await console.run(store)
    withExtendedLifetime(shown) {}
  }
}
