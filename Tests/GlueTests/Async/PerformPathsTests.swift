import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("perform(_:) with middleware and with other deliveries", .unwatched)
struct PerformPathsTests {
  private let clock = TestClock()

  /// A store whose works take as many seconds as their name says.
  private func store(
    delivery: Delivery = .immediate, middleware: Middleware<[String]>...
  ) -> Store<[String]> {
    let store = Store(middleware: middleware, delivery: delivery, clock: clock)
    store.onWork { [clock] name, dispatch in
      try? await clock.sleep(for: .seconds(Int(name) ?? 0))
      dispatch(WorkIntent.note(name))
    }
    return store
  }

  private func work(_ seconds: Int) -> WorkIntent { .emit([Work(name: "\(seconds)")]) }

  @Test("intents that a middleware multiplies and dispatches in its body are waited for")
  func multiplied() async {
    let store = store { [work] dispatch, _ in
      { next in
        { intent in
          if case WorkIntent.note("start") = intent {
            next(work(1))
            next(work(2))
            dispatch(work(3))
          } else {
            next(intent)
          }
        }
      }
    }
    let waiter = await Waiter(on: clock) { await store.perform(WorkIntent.note("start")) }
    await clock.advance(by: .milliseconds(2999))
    #expect(!waiter.isOver)
    await clock.advance(by: .milliseconds(1))
    #expect(waiter.isOver)
    #expect(store.state == ["1", "2", "3"])
  }

  @Test("so is what a middleware multiplies of an effect's intents")
  func multipliedLater() async {
    let store = store { [work] dispatch, _ in
      { next in
        { intent in
          next(intent)
          if case WorkIntent.note("1") = intent { dispatch(work(5)) }
        }
      }
    }
    let waiter = await Waiter(on: clock) { [work] in await store.perform(work(1)) }
    await clock.advance(by: .milliseconds(5999))
    #expect(!waiter.isOver)
    await clock.advance(by: .milliseconds(1))
    #expect(waiter.isOver)
  }

  @Test("intents that a middleware drops, or leaves to a task of its own, are not")
  func detached() async {
    let tasks = Shared<[Task<Void, Never>]>([])
    let store = store { [work] dispatch, _ in
      { next in
        { intent in
          guard case WorkIntent.note("start") = intent else { return next(intent) }
          tasks.change { $0.append(Task { dispatch(work(1)) }) }
        }
      }
    }
    await store.perform(WorkIntent.note("start"))
    for task in tasks.value { await task.value }
    await clock.run()
    await store.settled()
    #expect(store.state == ["1"])
  }

  @Test("thunks and asynchronous thunks are waited for, with what they dispatch")
  func thunks() async {
    let store = store(middleware: thunkMiddleware())
    let waiter = await Waiter(on: clock) { [clock, work] in
      await store.perform(
        Thunk<[String]> { dispatch, _ in
          dispatch(
            AsyncThunk<[String]> { dispatch, _ in
              try? await clock.sleep(for: .seconds(1))
              dispatch(work(2))
            })
        })
    }
    await clock.advance(by: .milliseconds(2999))
    #expect(!waiter.isOver)
    await clock.advance(by: .milliseconds(1))
    #expect(waiter.isOver)
  }

  @Test("posted deliveries are waited for")
  func posted() async {
    let pump = Pump()
    let store = store(delivery: pump.delivery)
    let settling = Shared<Waiter?>(nil)
    let waiter = await Waiter(on: clock) { [work] in await store.perform(work(0)) }
    settling.value = await Waiter(on: clock) { await store.settled() }
    #expect(store.state == [])
    #expect(!waiter.isOver)
    pump.next()?()
    await clock.rest()
    #expect(store.state == ["0"])
    #expect(!waiter.isOver)
    pump.run()
    await clock.rest()
    #expect(waiter.isOver)
    #expect(settling.value?.isOver == true)
  }

  @Test("a body that is dropped ends the wait", arguments: [true, false])
  func dropped(hasEffect: Bool) async {
    let pump = Pump()
    let store = store(delivery: pump.delivery)
    let intent = hasEffect ? work(1) : .note("a")
    let waiter = await Waiter(on: clock) { await store.perform(intent) }
    let settling = await Waiter(on: clock) { await store.settled() }
    #expect(!waiter.isOver)
    #expect(!settling.isOver)
    _ = pump.next()
    await clock.rest()
    #expect(waiter.isOver)
    #expect(settling.isOver)
  }
}
