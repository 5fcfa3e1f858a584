import Glue
import GlueTesting
import Testing

@Suite("Send dispatches an intent, for which no handler is needed")
struct SendTests {
  private let clock = TestClock()

  @Test("at once, and later if it is scheduled, in a store without handlers")
  func withoutHandlers() async {
    let store = Store<[String]>(clock: clock)
    store.emit(
      Send(WorkIntent.note("now")),
      Send(WorkIntent.note("later")).scheduled(.delay(.seconds(2)), id: 1))
    #expect(store.state == ["now"])
    await clock.advance(by: .seconds(2))
    #expect(store.state == ["now", "later"])
  }

  @Test("no handler gets it, and the others of its array keep their order")
  func handlers() async {
    let store = Store<[String]>(clock: clock)
    let seen = RecordingHandler<any Effect>()
    store.add(effectHandler: seen)
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    store.emit(QuickWork(name: "a"), Send(WorkIntent.note("b")), QuickWork(name: "c"))
    #expect(store.state == ["a", "b", "c"])
    #expect(seen.effects as? [QuickWork] == [QuickWork(name: "a"), QuickWork(name: "c")])
  }

  @Test("its intent goes through the middleware, and has the effect as its cause")
  func middleware() {
    let causes = Transcript<Cause>()
    let seen = Transcript<String>()
    let store = Store(
      state: [], reducer: working,
      middleware: [
        { _, _ in
          { next in
            { intent in
              if case WorkIntent.note(let note) = intent { seen.write(note) }
              next(intent)
            }
          }
        }
      ], monitors: [Causes(causes: causes)])
    store.emit(QuickWork(name: "a"), Send(WorkIntent.note("b")))
    #expect(seen.lines == ["b"])
    #expect(causes.lines == [.outside, .effect(1, ofCommit: 1)])
  }

  private struct Causes: Monitor {
    let causes: Transcript<Cause>
    func observe(_ commit: Commit<[String]>) { causes.write(commit.cause) }
  }

  @Test("perform waits for what it causes, and a policy may cancel it")
  func performed() async {
    let store = Store<[String]>(clock: clock)
    let later = Send(WorkIntent.note("later")).scheduled(.debounce(.seconds(1)), id: 1)
    let waiter = await Waiter(on: clock) { await store.perform(WorkIntent.emit([later])) }
    #expect(!waiter.isOver)
    store.emit(CancelEffects(id: 1))
    await clock.rest()
    #expect(waiter.isOver)
    #expect(store.state == [])
  }

  @Test("a chain of them uses constant stack (G5)")
  func chain() {
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, _: CounterIntent) -> [any Effect] in
        state += 1
        return state < 100_000 ? [Send(CounterIntent.ignore)] : []
      })
    store.dispatch(CounterIntent.ignore)
    #expect(store.state == 100_000)
  }

  @Test("two are equal if their intents are")
  func equality() {
    #expect(Send(CounterIntent.add(1)) == Send(CounterIntent.add(1)))
    #expect(Send(CounterIntent.add(1)) != Send(CounterIntent.add(2)))
    #expect(Send(WorkIntent.note("")) != Send(WorkIntent.note("")))
  }
}
