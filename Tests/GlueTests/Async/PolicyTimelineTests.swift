import Glue
import GlueTesting
import ProcessSupport
import Testing

/// Each column of a picture is 100 ms; `[` is a start, `]` an end, `x` a cancellation.
@Suite("Each policy follows the timeline in its documentation", .unwatched)
struct PolicyTimelineTests {
  private static let wait = Duration.milliseconds(300)

  @Test("latest")
  func latest() async {
    let timeline = Timeline()
    await timeline.emit("a", .latest, columns: 6)
    await timeline.advance(2)
    await timeline.emit("b", .latest, columns: 3)
    await timeline.expect(
      """
      a [ - x
      b     [ - - ]
      """)
  }

  @Test("leading")
  func leading() async {
    let timeline = Timeline()
    for name in ["a", "b", "c"] {
      await timeline.emit(name, .leading, columns: 3)
      await timeline.advance(2)
    }
    await timeline.expect(
      """
      a [ - - ]
      c         [ - - ]
      """)
  }

  @Test("sequential")
  func sequential() async {
    let timeline = Timeline()
    await timeline.emit("a", .sequential, columns: 3)
    await timeline.advance(1)
    await timeline.emit("b", .sequential, columns: 3)
    await timeline.expect(
      """
      a [ - - ]
      b       [ - - ]
      """)
  }

  @Test("concurrent")
  func concurrent() async {
    let timeline = Timeline()
    await timeline.emit("a", .concurrent, columns: 3)
    await timeline.advance(1)
    await timeline.emit("b", .concurrent, columns: 3)
    await timeline.expect(
      """
      a [ - - ]
      b   [ - - ]
      """)
  }

  @Test("debounce")
  func debounce() async {
    let timeline = Timeline()
    await timeline.emit("a", .debounce(Self.wait), columns: 1)
    await timeline.advance(1)
    await timeline.emit("b", .debounce(Self.wait), columns: 1)
    await timeline.expect("b         [ ]")
  }

  @Test("debounce cancels a running effect when it is emitted, not when it starts")
  func debounceOfARunningOne() async {
    let timeline = Timeline()
    await timeline.emit("a", .debounce(Self.wait), columns: 6)
    await timeline.advance(5)
    await timeline.emit("b", .debounce(Self.wait), columns: 1)
    await timeline.expect(
      """
      a       [ - x
      b                 [ ]
      """)
  }

  @Test("throttle")
  func throttle() async {
    let timeline = Timeline()
    await timeline.emit("a", .throttle(Self.wait), columns: 1)
    await timeline.advance(1)
    await timeline.emit("b", .throttle(Self.wait), columns: 1)
    await timeline.advance(1)
    await timeline.emit("c", .throttle(Self.wait), columns: 1)
    await timeline.expect(
      """
      a [ ]
      c       [ ]
      """)
  }

  @Test("throttle with latest: false keeps the first one of a window")
  func throttleFirst() async {
    let timeline = Timeline()
    for name in ["a", "b", "c", "d"] {
      await timeline.emit(name, .throttle(Self.wait, latest: false), columns: 1)
      await timeline.advance(1)
    }
    await timeline.expect(
      """
      a [ ]
      b       [ ]
      d             [ ]
      """)
  }

  @Test("throttle counts from each start anew, and does not limit how many run at once")
  func throttleAgain() async {
    let timeline = Timeline()
    for (name, columns) in [("a", 5), ("b", 5), ("c", 1), ("d", 1), ("e", 1)] {
      await timeline.emit(name, .throttle(Self.wait), columns: columns)
      await timeline.advance(2)
    }
    await timeline.expect(
      """
      a [ - - - - ]
      b       [ - - - - ]
      c             [ ]
      e                   [ ]
      """)
  }

  @Test("throttle, after a window in which nothing was emitted")
  func throttleAfterAnEmptyWindow() async {
    let timeline = Timeline()
    await timeline.emit("a", .throttle(Self.wait), columns: 1)
    await timeline.advance(3)
    await timeline.emit("b", .throttle(Self.wait), columns: 1)
    await timeline.expect(
      """
      a [ ]
      b       [ ]
      """)
  }

  @Test("delay")
  func delay() async {
    let timeline = Timeline()
    await timeline.emit("a", .delay(Self.wait), columns: 1)
    await timeline.advance(1)
    await timeline.emit("b", .delay(Self.wait), columns: 1)
    await timeline.expect(
      """
      a       [ ]
      b         [ ]
      """)
  }

  @Test("restarting, where tasks take no time to return")
  func restarting() async {
    let timeline = Timeline()
    await timeline.emit("a", .restarting, columns: 6)
    await timeline.advance(2)
    await timeline.emit("b", .restarting, columns: 3)
    await timeline.expect(
      """
      a [ - x
      b     [ - - ]
      """)
  }

  @Test("restarting, where a canceled task must release something first")
  func restartingWaits() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    let lines = Transcript<String>()
    let mayEnd = ["a": Signal(), "b": Signal(), "c": Signal()]
    store.onWork { name, _ in
      lines.write("\(name) began")
      await Task.detached { await mayEnd[name]?.wait() }.value
      lines.write("\(name) ended")
    }
    for (name, policy) in [("a", EffectPolicy.latest), ("b", .restarting), ("c", .restarting)] {
      store.emit(Work(name: name).scheduled(policy, id: "port"))
      await clock.rest()
    }
    #expect(lines.lines == ["a began"])
    mayEnd["a"]?.send()
    mayEnd["c"]?.send()
    await store.settled()
    #expect(lines.lines == ["a began", "a ended", "c began", "c ended"])
  }

  @Test("different ids do not concern one another")
  func differentIDs() async {
    let timeline = Timeline()
    for (id, policy) in policies.enumerated() {
      await timeline.emit("\(id)", policy, columns: 1, id: id)
    }
    await timeline.expect(
      """
      0 [ ]
      1 [ ]
      2 [ ]
      3 [ ]
      4 [ ]
      5                     [ ]
      6 [ ]
      7                     [ ]
      """)
  }

  @Test("without a policy, everything starts at its turn and runs at once")
  func none() async {
    let timeline = Timeline()
    for name in ["a", "b"] { timeline.store.emit(timeline.work(name, columns: 2)) }
    await timeline.expect(
      """
      a [ - ]
      b [ - ]
      """)
  }

  @Test("a throttle whose queued opener is canceled by its source opens again")
  func canceledOpener() {
    let pump = Pump()
    let store = Store<[String]>(delivery: pump.delivery, clock: TestClock())
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    let throttled = { QuickWork(name: $0).scheduled(.throttle(.seconds(1)), id: "id") }
    store.emit(throttled("a"))
    store.cancelEffects { _ in true }
    store.emit(throttled("b"))
    pump.run()
    #expect(store.state == ["b"])
  }
}
