import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The timers")
struct TimersTests {
  @Test("the stopwatch ticks while it runs")
  func ticks() async {
    let test = TestStore(state: Stopwatch(), reducer: stopwatch, lasting: ticking)
    test.add(effectHandler: Ticking(clock: test.clock))
    await test.send(StopwatchIntent.toggle, began: [Ticks().lasting(id: "ticks")]) {
      $0.isRunning = true
    }
    await test.clock.advance(by: .seconds(2))
    await test.receive(StopwatchIntent.tick) { $0.seconds = 1 }
    await test.receive(StopwatchIntent.tick) { $0.seconds = 2 }
    await test.send(StopwatchIntent.reset, ceased: [Ticks().lasting(id: "ticks")]) {
      $0 = Stopwatch()
    }
    await test.clock.advance(by: .seconds(2))
    await test.finish()
  }

  @Test("the egg timer rings once, at the last time that was set")
  func ringing() async {
    let test = TestStore(state: EggTimer.off, reducer: eggTimer)
    for duration in [Duration.seconds(3), .seconds(5)] {
      let ring = Send(EggTimerIntent.ring).scheduled(.debounce(duration), id: "ring")
      await test.send(EggTimerIntent.set(duration), effects: [ring]) { $0 = .set(duration) }
    }
    await test.clock.advance(by: .seconds(5))
    await test.receive(EggTimerIntent.ring) { $0 = .ringing }
    await test.send(EggTimerIntent.stop, effects: [CancelEffects(id: "ring")]) { $0 = .off }
    await test.finish()
  }

  @Test("the egg timer doesn't ring once it is stopped")
  func stopped() async {
    let test = TestStore(state: Timers(), reducer: timersFeature, exhaustivity: .off)
    await test.send(EggTimerIntent.set(.seconds(3))) { $0.eggTimer = .set(.seconds(3)) }
    await test.send(EggTimerIntent.stop) { $0.eggTimer = .off }
    await test.clock.advance(by: .seconds(3))
    test.assert { $0 = Timers() }
    await test.finish()
  }
}
