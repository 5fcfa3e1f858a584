// Timers: a stopwatch that ticks, and an egg timer that rings once.
//
// Ticks come again and again while the stopwatch runs, so they are an effect that lasts. The ring
// comes once, later, so it is a `Send` with a policy: `.debounce` lets a second setting replace
// the first. Both wait on a clock that a test replaces.

import Glue
import GlueConsole

struct Stopwatch: Equatable, Sendable {
  var seconds = 0
  var isRunning = false
}

enum StopwatchIntent: Intent { case toggle, tick, reset }

func stopwatch(state: inout Stopwatch, intent: StopwatchIntent) -> [any Effect] {
  switch intent {
  case .toggle: state.isRunning.toggle()
  case .tick: state.seconds += 1
  case .reset: state = Stopwatch()
  }
  return []
}

struct Ticks: Effect, Equatable {}

func ticking(state: Stopwatch) -> [LastingEffect] {
  state.isRunning ? [Ticks().lasting(id: "ticks")] : []
}

struct Ticking: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: Ticks, dispatch: @escaping DispatchFunc) async {
    while (try? await clock.sleep(for: .seconds(1))) != nil { dispatch(StopwatchIntent.tick) }
  }
}

enum EggTimer: Equatable, Sendable { case off, set(Duration), ringing }

enum EggTimerIntent: Intent { case set(Duration), ring, stop }

func eggTimer(state: inout EggTimer, intent: EggTimerIntent) -> [any Effect] {
  switch intent {
  case .set(let duration):
    state = .set(duration)
    return [Send(EggTimerIntent.ring).scheduled(.debounce(duration), id: "ring")]
  case .ring:
    state = .ringing
    return []
  case .stop:
    state = .off
    return [CancelEffects(id: "ring")]
  }
}

struct Timers: Equatable, Sendable {
  var stopwatch = Stopwatch()
  var eggTimer = EggTimer.off
}

let timersFeature: Reducer<Timers> = combineReducers {
  withKey(\.stopwatch, use: stopwatch)
  withKey(\.eggTimer, use: eggTimer)
}

let timersStudy = Study(
  "timers", "a stopwatch that ticks, and an egg timer that rings once",
  keys: "s: start, stop   0: reset   1-9: ring in seconds   x: no ring",
  store: {
    Store(
      state: Timers(), reducer: timersFeature, lasting: { ticking(state: $0.stopwatch) },
      handlers: { handlers in handlers.add(effectHandler: Ticking(clock: ContinuousClock())) })
  },
  draw: { ["\($0.stopwatch.seconds) s", "egg timer: \($0.eggTimer)"] },
  press: { key, _ in
    switch key {
    case .text("s"): StopwatchIntent.toggle
    case .text("0"): StopwatchIntent.reset
    case .text("x"): EggTimerIntent.stop
    case .text(let digit): Int(digit).map { EggTimerIntent.set(.seconds($0)) }
    default: nil
    }
  })
