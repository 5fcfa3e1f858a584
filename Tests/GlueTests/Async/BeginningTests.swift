import Dispatch
import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite(
  "A store with a block of handlers begins at the block's end, at one instant", .tags(.threads),
  .unwatched)
struct BeginningTests {
  private let clock = TestClock()
  private let transcript = Transcript<String>()
  private let problems = Transcript<Problem>()
  private let kept = Shared<Subscription?>(nil)

  private func store(
    _ notes: [String] = [], middleware: [Middleware<[String]>] = [],
    monitors: [any Monitor<[String]>] = [], delivery: Delivery = .immediate,
    handlers: (Store<[String]>) throws -> Void
  ) rethrows -> Store<[String]> {
    try Store(
      state: notes, reducer: working, middleware: middleware, monitors: monitors,
      lasting: { notes in notes.last == "lasts" ? [Work(name: "last").lasting(id: 1)] : [] },
      delivery: delivery, clock: clock, report: { [problems] in problems.write($0) },
      handlers: handlers)
  }

  private func handle(_ store: Store<[String]>) {
    store.onQuickWork { [transcript] name, _ in transcript.write("quick \(name)") }
    store.onWork { [transcript] name, _ in transcript.write("work \(name)") }
  }

  private func subscribe(to store: Store<[String]>) {
    kept.value = store.subscribe(selector: \.last) { [transcript] last in
      transcript.write("told \(last ?? "nothing")")
    }
  }

  @Test("lines in any order: all handlers get all effects, and subscribers the last state alone")
  func anyOrder() async {
    let store = store(["stale"]) { store in
      subscribe(to: store)
      store.emit(QuickWork(name: "a"), Work(name: "b"))
      store.note("fresh")
      #expect(store.state == ["stale", "fresh"], "intents are reduced at once")
      store.note("lasts")
      handle(store)
      #expect(transcript.lines.isEmpty, "nothing is delivered meanwhile")
      transcript.write("end")
    }
    #expect(
      transcript.lines.filter { $0 != "work b" && $0 != "work last" } == [
        "end", "told lasts", "quick a",
      ])
    await clock.rest()
    #expect(transcript.lines == ["end", "told lasts", "quick a", "work b", "work last"])
    store.note("later")
    #expect(transcript.lines.last == "told later")
    #expect(problems.lines == [.endedLastingEffect(type: "Work")])
  }

  @Test("a lasting effect's first intent finds all handlers")
  func firstIntents() async {
    for _ in 0..<500 {
      let (isHandled, forever) = (Signal(), Signal())
      let store = Store(
        state: ["lasts"], reducer: working, lasting: { _ in [Work(name: "a").lasting(id: 1)] }
      ) { store in
        store.onWork { _, dispatch in
          dispatch(WorkIntent.emit([QuickWork(name: "a")]))
          await forever.wait()
        }
        store.onQuickWork { _, _ in isHandled.send() }
      }
      await isHandled.wait()
      await store.shutdown()
    }
  }

  @Test("a lasting effect that an intent of the block ends doesn't begin")
  func endedInBlock() async {
    let store = store(["lasts"]) { store in
      handle(store)
      store.note("over")
    }
    await clock.rest()
    #expect(transcript.lines.isEmpty)
    withExtendedLifetime(store) {}
  }

  @Test("policies and CancelEffects of the block's commits act in their order")
  func policies() async {
    let store = store { store in
      store.emit(QuickWork(name: "a").scheduled(.latest, id: 1))
      store.emit(QuickWork(name: "b").scheduled(.latest, id: 1))
      store.emit(QuickWork(name: "c").scheduled(.latest, id: 2))
      store.emit(CancelEffects(id: 2), QuickWork(name: "d").scheduled(.delay(.seconds(1)), id: 2))
      handle(store)
    }
    #expect(transcript.lines == ["quick b"])
    await clock.advance(by: .seconds(1))
    #expect(transcript.lines == ["quick b", "quick d"])
    withExtendedLifetime(store) {}
  }

  @Test("monitors get the block's commits first, with handlers that were added after them")
  func monitored() {
    let store = store(monitors: [Noting(transcript: transcript)]) { store in
      subscribe(to: store)
      store.emit(QuickWork(name: "a"))
      store.note("b")
      handle(store)
    }
    #expect(
      transcript.lines == [
        "commit 1 without unhandled effects", "commit 2 without unhandled effects", "told b",
        "quick a",
      ])
    withExtendedLifetime(store) {}
  }

  private struct Noting: Monitor {
    let transcript: Transcript<String>

    func observe(_ commit: Commit<[String]>) {
      let unhandled = commit.unhandled.isEmpty ? "without" : "with"
      transcript.write("commit \(commit.number) \(unhandled) unhandled effects")
    }
  }

  @Test("other threads' intents are reduced meanwhile, and their calls wait for its end")
  func otherThreads() async {
    let read = Shared<[String]>([])
    let store = store { store in
      let isDone = DispatchSemaphore(value: 0)
      startThread {
        store.note("theirs")
        store.emit(QuickWork(name: "theirs"))
        read.value = store.state
        isDone.signal()
      }
      isDone.wait()
      #expect(read.value == ["theirs"])
      let waits: [(String, @Sendable () async -> Void)] = [
        ("delivered", { await store.delivered() }),
        ("settled", { await store.settled() }),
        ("performed", { await store.perform(WorkIntent.emit([QuickWork(name: "performed")])) }),
      ]
      for (name, wait) in waits {
        Task(executorPreference: clock.executor) { [transcript] in
          await wait()
          transcript.write(name)
        }
      }
      handle(store)
      #expect(transcript.lines.isEmpty)
    }
    await clock.rest()
    #expect(transcript.lines.prefix(1) == ["quick theirs"])
    #expect(
      transcript.lines.sorted()
        == ["delivered", "performed", "quick performed", "quick theirs", "settled"])
    withExtendedLifetime(store) {}
  }

  @Test("shutdown() of another task waits for its end, and loses nothing that it decided")
  func shutdown() async {
    let ending = Shared<Task<Void, Never>?>(nil)
    let store = await onThread {
      self.store { store in
        let isRunning = DispatchSemaphore(value: 0)
        ending.value = Task.detached {
          isRunning.signal()
          await store.shutdown()
        }
        isRunning.wait()
        store.emit(QuickWork(name: "a"))
        handle(store)
      }
    }
    await ending.value?.value
    #expect(transcript.lines == ["quick a"])
    store.emit(QuickWork(name: "b"))
    #expect(transcript.lines == ["quick a"])
  }

  @Test("intents that a middleware's thread dispatches before the block reach its handlers")
  func middlewareThreads() {
    let early: Middleware<[String]> = { dispatch, _ in
      let isDone = DispatchSemaphore(value: 0)
      startThread {
        dispatch(WorkIntent.emit([QuickWork(name: "early")]))
        isDone.signal()
      }
      isDone.wait()
      return { next in { intent in next(intent) } }
    }
    let store = store(middleware: [early]) { store in handle(store) }
    #expect(transcript.lines == ["quick early"])
    withExtendedLifetime(store) {}
  }

  @Test("an asynchronous thunk of the block starts after it")
  func thunk() async {
    let store = store(middleware: [thunkMiddleware()]) { store in
      store.dispatch(AsyncThunk { [transcript] _, _ in transcript.write("thunk") })
      transcript.write("end")
    }
    await clock.rest()
    #expect(transcript.lines == ["end", "thunk"])
    withExtendedLifetime(store) {}
  }

  @Test("its asynchronous thunks come after the first values and the effects of its commits")
  func thunksLast() async {
    let store = store(middleware: [thunkMiddleware()]) { store in
      store.dispatch(AsyncThunk<[String]> { _, _ in })
      store.onQuickWork { [transcript, weak store] _, _ in
        transcript.write(
          (store?.effectsInFlight ?? []).map { "\($0.phase)" }.joined(separator: ","))
      }
      store.emit(QuickWork(name: "a"))
    }
    #expect(transcript.lines == ["queued"])
    await clock.rest()
    withExtendedLifetime(store) {}
  }

  @Test("a shutdown whose time passes before its end returns the effects that then never start")
  func shutdownWithin() async {
    let left = Shared<[UnfinishedWork]>([])
    let store = await onThread { [transcript] in
      Store(
        state: 0, reducer: { _, _ in [QuickWork(name: "a"), CancelEffects(id: "b")] },
        report: { _ in },
        handlers: { store in
          store.on(QuickWork.self) { work, _ in transcript.write(work.name) }
          store.dispatch(WorkIntent.emit([]))
          let isOver = DispatchSemaphore(value: 0)
          Task.detached {
            left.value = await store.shutdown(finishing: .zero, within: .zero)
            isOver.signal()
          }
          isOver.wait()
        })
    }
    #expect(left.value.count == 1)
    #expect(transcript.lines.isEmpty)
    withExtendedLifetime(store) {}
  }

  @Test("posted deliveries are posted at its end")
  func posted() {
    let pump = Pump()
    let store = store(delivery: pump.delivery) { store in
      store.emit(QuickWork(name: "a"))
      handle(store)
      #expect(pump.waiting == 0)
    }
    #expect(pump.waiting == 1)
    pump.run()
    #expect(transcript.lines == ["quick a"])
    withExtendedLifetime(store) {}
  }

  private struct Failed: Error {}

  @Test("if it throws, the store delivers what it has reduced, and takes no effects")
  func failing() async {
    let escaped = Shared<Store<[String]>?>(nil)
    #expect(throws: Failed.self) {
      try store(["lasts"]) { store in
        escaped.value = store
        subscribe(to: store)
        handle(store)
        store.emit(QuickWork(name: "a"))
        throw Failed()
      }
    }
    await clock.rest()
    #expect(transcript.lines == ["told lasts"])
    await escaped.value?.settled()
    await escaped.value?.shutdown()
  }

  @Test("a lasting effect without a handler is a problem at its end, not before")
  func unhandled() {
    let store = store(["lasts"]) { store in
      store.note("lasts")
      store.onQuickWork { _, _ in }
      #expect(problems.lines.isEmpty)
    }
    #expect(problems.lines == [.unhandledLastingEffect(type: "Work")])
    withExtendedLifetime(store) {}
  }

  @Test(
    "without a block, it is one at the first intent from outside, not of an effect or a delivery",
    arguments: [false, true])
  func unhandledWithoutBlock(isPosted: Bool) async {
    let pump = Pump()
    let store = Store(
      state: [], reducer: working,
      lasting: { _ in [Work(name: "a").lasting(id: 1), QuickWork(name: "b").lasting(id: 2)] },
      delivery: isPosted ? pump.delivery : .immediate, clock: clock,
      report: { [problems] in problems.write($0) })
    kept.value = store.subscribe(selector: \.count) { [weak store] count in
      if count == 0 { store?.note("delivery") }
    }
    pump.run()
    store.onWork { [clock] _, dispatch in
      dispatch(WorkIntent.note("effect"))
      try? await clock.sleep(for: .seconds(1))
    }
    pump.run()
    await clock.rest()
    pump.run()
    #expect(store.state == ["delivery", "effect"])
    #expect(problems.lines.isEmpty)
    store.note("outside")
    #expect(problems.lines == [.unhandledLastingEffect(type: "QuickWork")])
    await store.shutdown()
  }
}
