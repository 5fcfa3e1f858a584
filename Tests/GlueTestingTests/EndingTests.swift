import Dispatch
import Glue
import Testing

@testable import GlueTesting

extension Limits {
  /// Limits that tests of what never ends reach at once.
  static let short = Limits(
    patience: .milliseconds(1), steps: 2_000, commits: 500, effects: 500, findsBlocked: false)
}

/// The messages of the failures of a body that would not end without limits.
func failuresAtLimits(
  _ limits: Limits = .short, _ body: nonisolated(nonsending) () async -> Void
) async -> [String] {
  await failures { await Limits.current.withValue(limits) { await body() } }
}

@Suite("A test that would not end")
struct EndingTests {
  /// Never continues, and ignores its cancellation.
  static func wait() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  @Test("fails where a handler polls, in each kind of step, once")
  func polling() async {
    let steps: [@Sendable (TestStore<Desk>) async -> Void] = [
      { await $0.send(DeskIntent.note("a")) { $0.notes = ["a"] } },
      { await $0.receive(DeskIntent.open) },
      { await $0.skipReceived(strict: false) },
      { await $0.skipInFlight(strict: false) },
      { await $0.clock.advance(by: .zero) },
      { await $0.clock.run() },
      { await $0.clock.rest() },
      { await $0.finish() },
    ]
    for step in steps {
      let jobs = Locked(0)
      let messages = await failuresAtLimits {
        let test = deskStore { _, _ in
          while true {
            jobs.withLock { $0 += 1 }
            await Task.yield()
          }
        }
        test.store.dispatch(DeskIntent.work)
        await step(test)
        test.exhaustivity = .off
      }
      #expect(messages.first?.contains("they have run 2000 jobs") == true, "\(messages)")
      #expect(jobs.withLock { $0 } > 900, "a yield takes two jobs at most")
      #expect(messages.first?.contains("\n  Work() in a closure on Work\n") == true)
    }
  }

  @Test("leaves the clock at the deadline whose tasks never rest")
  func clockStays() async {
    let messages = await failuresAtLimits {
      let test = deskStore { clock, _ in
        try? await clock.sleep(for: .seconds(1))
        while true { await Task.yield() }
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.clock.advance(by: .seconds(3))
      #expect(test.clock.now.offset == .seconds(1))
      test.exhaustivity = .off
    }
    #expect(messages.count == 1, "\(messages)")
  }

  @Test("continues without the tasks that were stopped")
  func continues() async {
    let messages = await failuresAtLimits {
      let test = deskStore { _, _ in while true { await Task.yield() } }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.send(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
    }
    #expect(messages.count == 1, "\(messages)")
  }

  @Test("fails where a handler sleeps for no time, on both clocks")
  func sleeping() async {
    let messages = await failuresAtLimits {
      let test = deskStore { clock, _ in while true { try? await clock.sleep(for: .zero) } }
      await test.send(DeskIntent.work, effects: [Work()])
      let clock = ImmediateClock()
      let store = Store(state: Desk(), reducer: desk, clock: clock)
      store.on(Work.self) { _, _ async in while true { try? await clock.sleep(for: .seconds(1)) } }
      store.dispatch(DeskIntent.work)
      await clock.rest()
    }
    #expect(messages.count == 2)
    for message in messages {
      #expect(message.contains("they have slept for no time again and again, 2000 jobs"))
    }
  }

  @Test("names the effect that still sleeps for no time, not one that no longer does")
  func sleepingLast() async throws {
    struct First: Effect {}
    let messages = await failuresAtLimits {
      let clock = TestClock()
      let store = Store(
        state: Desk(), reducer: { (_: inout Desk, _: DeskIntent) in [First(), Work()] },
        clock: clock)
      store.on(First.self) { _, _ async in
        for seconds in 0...1 { try? await clock.sleep(for: .seconds(seconds)) }
      }
      store.on(Work.self) { _, _ async in while true { try? await clock.sleep(for: .zero) } }
      Task(executorPreference: clock.executor) { store.dispatch(DeskIntent.work) }
      await clock.rest()
    }
    let message = try #require(messages.first)
    #expect(message.contains("\n  Work()") && !message.contains("First"), "\(message)")
  }

  @Test("fails where a handler dispatches again and again")
  func dispatching() async {
    let messages = await failuresAtLimits {
      let test = deskStore { _, dispatch in
        while true {
          dispatch(DeskIntent.note("again"))
          await Task.yield()
        }
      }
      await test.send(DeskIntent.work, effects: [Work()])
      #expect(test.state == test.store.state, "it continues from the last commit")
      await test.finish()
    }
    #expect(messages.count == 1, "\(messages.map { $0.prefix(300) })")
    #expect(messages[0].contains("500 intents have followed one another"), "\(messages)")
  }

  @Test("fails where a handler dispatches in a loop without a suspension")
  func looping() async {
    let messages = await failuresAtLimits {
      let test = deskStore()
      test.on(Work.self) { _, dispatch in while true { dispatch(DeskIntent.note("again")) } }
      await test.send(DeskIntent.work, effects: [Work()])
      #expect(test.store.state.notes.count == 500)
      test.exhaustivity = .off
    }
    #expect(messages.count == 1, "\(messages)")
    #expect(messages[0].contains("has dispatched 500 intents in a loop without a suspension:"))
    #expect(messages[0].contains("\n  Work() is handled in a closure on Work\n"))
  }

  @Test("fails where a reducer sends again and again, or causes its effect again")
  func sending() async {
    let messages = await failuresAtLimits {
      let test = TestStore(state: 0) { (count: inout Int, intent: DeskIntent) in
        count += 1
        return [Send(intent)]
      }
      await test.send(DeskIntent.open, effects: [Send(DeskIntent.open)]) { $0 = 1 }
      await test.finish()
      let chain = deskStore { _, dispatch in dispatch(DeskIntent.work) }
      await chain.send(DeskIntent.work, effects: [Work()])
      await chain.finish()
    }
    #expect(messages.count == 2, "\(messages)")
    for message in messages { #expect(message.contains("500 intents have followed one another")) }
  }

  @Test("fails where a store without a test store causes its effect again")
  func chain() async {
    struct First: Effect {}
    let messages = await failuresAtLimits {
      let clock = TestClock()
      let store = Store(
        state: Desk(),
        reducer: { (state: inout Desk, intent: DeskIntent) -> [any Effect] in
          intent == .open ? [First()] : desk(state: &state, intent: intent)
        }, clock: clock)
      store.on(First.self) { _, dispatch async in dispatch(DeskIntent.work) }
      store.on(Work.self) { _, dispatch async in dispatch(DeskIntent.work) }
      store.dispatch(DeskIntent.open)
      await clock.rest()
    }
    #expect(messages.count == 1)
    #expect(messages[0].contains("500 effects have followed one another"))
    #expect(messages[0].contains("\n  Work()"))
    #expect(!messages[0].contains("First"), "it isn't among the last ones")
  }

  @Test("fails where a call of the store waits for what does not come, and names that")
  func waiting() async {
    let calls: [(String, @Sendable (Store<Desk>) async -> Void)] = [
      ("perform(_:)", { await $0.perform(DeskIntent.work) }),
      ("settled()", { await $0.settled() }),
      ("shutdown()", { await $0.shutdown() }),
    ]
    for (name, call) in calls {
      let messages = await failuresAtLimits {
        let test = deskStore { _, _ in await Self.wait() }
        await test.send(DeskIntent.work, effects: [Work()])
        await call(test.store)
        test.exhaustivity = .off
      }
      #expect(messages.count == 1, "\(messages)")
      #expect(messages[0].hasPrefix("`\(name)` can't end: the tasks of the clock rest"))
      #expect(messages[0].contains("for 0.001 seconds of real time:\n  Work()"))
    }
  }

  @Test("fails where a plain store's clock isn't advanced, and by a test store's limit")
  func standing() async {
    let messages = await failuresAtLimits {
      let clock = TestClock()
      let store = Store(state: Desk(), reducer: desk, clock: clock)
      await store.perform(DeskIntent.schedule(.delay(.seconds(1))))
      let test = deskStore(clock: TestClock())
      test.limit = .milliseconds(2)
      await test.store.perform(DeskIntent.schedule(.delay(.seconds(1))))
      await test.skipReceived()
      await test.skipInFlight()
    }
    #expect(messages.count == 2, "\(messages)")
    #expect(messages[0].contains("0.001 seconds of real time:\n  Work() waits for its time\n"))
    #expect(messages[1].contains("0.002 seconds of real time:\n  Work().scheduled("))
  }

  @Test("fails where a handler blocks its thread, and names it")
  func blocked() async {
    var limits = Limits.short
    limits.findsBlocked = true
    let semaphore = DispatchSemaphore(value: 0)
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let messages = await failuresAtLimits(limits) {
      let test = deskStore()
      test.on(Work.self) { _, _ in
        begin.finish()
        semaphore.wait()
      }
      let store = test.store
      Task(executorPreference: test.clock.executor) { store.dispatch(DeskIntent.work) }
      for await _ in begun {}
      await test.finish()
      test.exhaustivity = .off
    }
    semaphore.signal()
    #expect(messages.first?.contains("a job of the clock blocks its thread") == true, "\(messages)")
    #expect(messages.first?.contains("\n  Work() is handled in a closure on Work\n") == true)
  }

  @Test("fails where a handler on trial polls")
  func contract() async {
    struct Polling: AsyncEffectHandler {
      func handle(effect: Work, dispatch: @escaping DispatchFunc) async {
        while true { await Task.yield() }
      }
    }
    let messages = await failuresAtLimits {
      await checkContract(effects: [Work()]) { _ in Polling() }
    }
    #expect(messages.count == 1, "\(messages)")
    #expect(messages[0].hasPrefix("The check of Polling can't end, because tasks"))
  }
}
