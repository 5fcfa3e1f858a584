// Long-living effect: follow the sensor of the room that is selected.
//
// The effect's value says what it does. Another room gives the same id another value: the store
// ends the old sequence before it begins the new one, and no late reading reaches the wrong room.
// The first state has a room, so the effect lasts from the start.

import Glue
import GlueConsole

enum Room: CaseIterable { case kitchen, attic, cellar }

struct Thermometer: Equatable, Sendable {
  var room: Room? = .kitchen
  var degrees: Int?
}

enum ThermometerIntent: Intent { case select(Room?), measured(Int) }

func thermometer(state: inout Thermometer, intent: ThermometerIntent) -> [any Effect] {
  switch intent {
  case .select(let room): state = Thermometer(room: room)
  case .measured(let degrees): state.degrees = degrees
  }
  return []
}

struct FollowSensor: Effect, Equatable { var room: Room }

func following(state: Thermometer) -> [LastingEffect] {
  state.room.map { [FollowSensor(room: $0).lasting(id: "sensor")] } ?? []
}

/// A sensor's readings, one a second, as some library would give them.
struct Readings: AsyncSequence, AsyncIteratorProtocol {
  let room: Room
  let clock: any Clock<Duration>
  var count = 0

  func makeAsyncIterator() -> Readings { self }

  mutating func next() async throws -> Int? {
    try await clock.sleep(for: .seconds(1))
    count += 1
    let base =
      switch room {
      case .kitchen: 21
      case .attic: 28
      case .cellar: 9
      }
    return base + count % 3
  }
}

struct Following: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: FollowSensor, dispatch: @escaping DispatchFunc) async {
    let readings = Readings(room: effect.room, clock: clock)
    do {
      for try await degrees in readings { dispatch(ThermometerIntent.measured(degrees)) }
    } catch {}  // It was canceled.
  }
}

let longLivingStudy = Study(
  "long-living", "follow the sensor of the selected room",
  keys: "k a c: kitchen, attic, cellar   n: none",
  store: {
    Store(
      state: Thermometer(), reducer: thermometer, lasting: following,
      handlers: { handlers in handlers.add(effectHandler: Following(clock: ContinuousClock())) })
  },
  draw: { state in
    [state.room.map { "\($0)" } ?? "no room", state.degrees.map { "\($0) °C" } ?? "…"]
  },
  press: { key, _ in
    switch key {
    case .text("k"): ThermometerIntent.select(.kitchen)
    case .text("a"): ThermometerIntent.select(.attic)
    case .text("c"): ThermometerIntent.select(.cellar)
    case .text("n"): ThermometerIntent.select(nil)
    default: nil
    }
  })
