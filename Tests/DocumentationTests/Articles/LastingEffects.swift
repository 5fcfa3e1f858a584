import Glue
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Effects that last")
struct LastingEffects {
  struct Tower: Equatable, Sendable {
    var isPolling = false
    var interval = Duration.seconds(1)
    var load = 0
    var log: String?
    var lines: [String] = []
  }

  enum TowerIntent: Intent, Equatable {
    case poll(Bool), loaded(Int), select(String?), line(String)
  }

  enum WatchEffect: Effect, Equatable { case poll(every: Duration), tail(String) }

  func tower(state: inout Tower, intent: TowerIntent) -> [any Effect] {
    switch intent {
    case .poll(let isPolling): state.isPolling = isPolling
    case .loaded(let load): state.load = load
    case .select(let log):
      state.log = log
      state.lines = []
    case .line(let line): state.lines.append(line)
    }
    return []
  }

  func watches(state: Tower) -> [LastingEffect] {
    (state.isPolling ? [WatchEffect.poll(every: state.interval).lasting(id: "poll")] : [])
      + (state.log.map { [WatchEffect.tail($0).lasting(id: "tail")] } ?? [])
  }

  struct Watching: AsyncEffectHandler {
    let clock: any Clock<Duration>
    let load: @Sendable () -> Int
    let lines: @Sendable (_ log: String) -> AsyncStream<String>

    func handle(effect: WatchEffect, dispatch: @escaping DispatchFunc) async {
      switch effect {
      case .poll(let interval):
        repeat {
          dispatch(TowerIntent.loaded(load()))
          try? await clock.sleep(for: interval)
        } while !Task.isCancelled
      case .tail(let log):
        for await line in lines(log) { dispatch(TowerIntent.line(line)) }
      }
    }
  }

  /// A log whose only line is its name, and which never ends.
  private let lines: @Sendable (String) -> AsyncStream<String> = { log in
    AsyncStream { $0.yield(log) }
  }

  @Test("a tail follows the selected file")
  func following() async {
    let clock = TestClock()
    let load: @Sendable () -> Int = { 7 }
    let watches = watches
    let read = TestStore(state: Tower(), reducer: tower, lasting: watches, clock: clock)
    read.add(effectHandler: Watching(clock: clock, load: load, lines: lines))
    let first = WatchEffect.tail("a").lasting(id: "tail")
    let second = WatchEffect.tail("b").lasting(id: "tail")
    await read.send(TowerIntent.select("a"), began: [first]) { $0.log = "a" }
    await read.receive(TowerIntent.line("a")) { $0.lines = ["a"] }
    await read.send(TowerIntent.select("b"), began: [second], ceased: [first]) {
      $0.log = "b"
      $0.lines = []
    }
    await read.receive(TowerIntent.line("b")) { $0.lines = ["b"] }
    await read.finish()
  }

  @Test("a program selects files")
  func program() async {
    let clock = TestClock()
    let load: @Sendable () -> Int = { 7 }
    let lines = lines

    let store = Store(
      state: Tower(), reducer: tower, lasting: watches,
      handlers: { handlers in
        handlers.add(effectHandler: Watching(clock: clock, load: load, lines: lines))
      })

    store.dispatch(TowerIntent.select("/var/log/syslog"))  // starts a tail
    store.dispatch(TowerIntent.select("/var/log/auth.log"))  // ends it, and starts one of this file
    store.dispatch(TowerIntent.select(nil))  // ends that one

    #expect(store.state.log == nil)
    await store.shutdown()
  }

  @Test("a test owns the poll's time")
  func testing() async {
    let test = TestStore(state: Tower(), reducer: tower, lasting: watches)
    test.add(effectHandler: Watching(clock: test.clock, load: { 7 }, lines: lines))
    let poll = WatchEffect.poll(every: .seconds(1)).lasting(id: "poll")

    await test.send(TowerIntent.poll(true), began: [poll]) { $0.isPolling = true }
    await test.receive(TowerIntent.loaded(7)) { $0.load = 7 }
    await test.clock.advance(by: .seconds(1))
    await test.receive(TowerIntent.loaded(7))
    await test.send(TowerIntent.poll(false), ceased: [poll]) { $0.isPolling = false }
    await test.finish()
  }
}
