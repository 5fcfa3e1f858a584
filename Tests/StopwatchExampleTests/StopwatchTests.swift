import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing

@testable import StopwatchExample

@Suite("The stopwatch")
struct StopwatchTests {
  private let ticks = TickEffect.everySecond.lasting(id: "ticks")
  private let forget = Send(WatchIntent.toggle)
    .scheduled(.delay(.seconds(86_400)), id: "forgotten")
  private let remember = CancelEffects(id: "forgotten")

  @Test("ticks while it runs")
  func ticking() async {
    let test = TestStore(state: Stopwatch(), reducer: stopwatch, lasting: lasting)
    test.add(effectHandler: Ticking(clock: test.clock))
    await test.send(WatchIntent.toggle, effects: [forget], began: [ticks]) {
      $0.watch.isRunning = true
    }
    await test.clock.advance(by: .seconds(2))
    await test.receive(WatchIntent.tick) { $0.watch.seconds = 1 }
    await test.receive(WatchIntent.tick) { $0.watch.seconds = 2 }
    await test.send(WatchIntent.toggle, effects: [remember], ceased: [ticks]) {
      $0.watch.isRunning = false
    }
    await test.clock.advance(by: .seconds(2))
    await test.send(WatchIntent.reset, effects: [remember]) { $0.watch.seconds = 0 }
    await test.finish()
  }

  @Test("stops after a day, unless it has been stopped")
  func forgotten() async {
    let test = TestStore(state: Stopwatch(), reducer: stopwatch)
    await test.send(WatchIntent.toggle, effects: [forget]) { $0.watch.isRunning = true }
    await test.clock.advance(by: .seconds(86_400))
    await test.receive(WatchIntent.toggle, effects: [remember]) { $0.watch.isRunning = false }
    await test.send(WatchIntent.toggle, effects: [forget]) { $0.watch.isRunning = true }
    await test.send(WatchIntent.reset, effects: [remember]) { $0.watch = Watch() }
    await test.clock.advance(by: .seconds(86_400))
    await test.finish()
  }

  @Test("a lap is announced, and can be undone while the time continues")
  func undo() {
    var state = Stopwatch()
    let effects = stopwatch(&state, LapIntent.lap(at: 3))
    #expect(effects == [LapEffect.announce(lap: 1, seconds: 3)])
    #expect(state.laps.present.seconds == [3])
    _ = stopwatch(&state, WatchIntent.tick)
    #expect(stopwatch(&state, HistoryIntent.undo).isEmpty)
    #expect(state.laps.present.seconds == [])
    #expect(state.watch.seconds == 1)
  }

  @Test("through a pipe, it does what the lines say, and ends with them")
  func pipe() throws {
    let program = try PipedProgram(builtProgram("StopwatchExample"))
    let result = try program.finish(input: Data("l\nl\nu\nx\nq\nl\n".utf8))
    #expect(
      result
        == .init(
          output: """
            0:00
            Laps: 0
            Enter starts and pauses, l notes a lap, u undoes one, r resets, q quits.
            Laps: 1
            Lap 1: 0:00
            Laps: 2
            Lap 2: 0:00
            Laps: 1
            What is "x"?

            """, errors: "", ending: .exit(0)))
  }
}
