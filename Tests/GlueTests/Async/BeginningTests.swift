import Dispatch
import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite(
  "A store that is made with its handlers begins at one instant", .tags(.threads), .unwatched)
struct BeginningTests {
  private let clock = TestClock()
  private let transcript = Transcript<String>()
  private let problems = Transcript<Problem>()

  private func store(
    _ notes: [String] = [], middleware: [Middleware<[String]>] = [],
    monitors: [any Monitor<[String]>] = [], delivery: Delivery = .immediate,
    first: [WorkIntent] = [], handlers: ((EffectHandlers) throws -> Void)? = nil
  ) rethrows -> Store<[String]> {
    try Store(
      state: notes, reducer: working, middleware: middleware, monitors: monitors,
      lasting: { notes in notes.last == "lasts" ? [Work(name: "last").lasting(id: 1)] : [] },
      delivery: delivery, clock: clock, report: { [problems] in problems.write($0) },
      first: first, handlers: { try (handlers ?? handle)($0) })
  }

  private func handle(_ handlers: EffectHandlers) {
    handlers.on(QuickWork.self) { [transcript] work, _ in transcript.write("quick \(work.name)") }
    handlers.on(Work.self) { [transcript] work, _ async in transcript.write("work \(work.name)") }
  }

  @Test("its first intents are reduced before anything begins; a subscriber gets the newest state")
  func inOrder() async {
    let store = store(
      ["stale"],
      first: [
        .emit([QuickWork(name: "a"), Work(name: "b")]), .note("fresh"), .note("lasts"),
      ],
      handlers: { handlers in
        handlers.on(QuickWork.self) { [transcript] work, dispatch in
          transcript.write("quick \(work.name)")
          dispatch(WorkIntent.note("later"))
        }
        handlers.on(Work.self) { [transcript] work, _ async in
          transcript.write("work \(work.name)")
        }
      })
    #expect(store.state == ["stale", "fresh", "lasts", "later"])
    let subscription = store.subscribe(selector: \.last) { [transcript] last in
      transcript.write("told \(last ?? "nothing")")
    }
    #expect(transcript.lines.filter { $0 != "work b" } == ["quick a", "told later"])
    await clock.rest()
    #expect(Set(transcript.lines) == ["quick a", "told later", "work b"])
    withExtendedLifetime(subscription) {}
  }

  @Test("a lasting effect's first intent finds all handlers")
  func firstIntents() async {
    for _ in 0..<500 {
      let (isHandled, forever) = (Signal(), Signal())
      let store = Store(
        state: ["lasts"], reducer: working, lasting: { _ in [Work(name: "a").lasting(id: 1)] },
        handlers: { handlers in
          handlers.on(Work.self) { _, dispatch async in
            dispatch(WorkIntent.emit([QuickWork(name: "a")]))
            await forever.wait()
          }
          handlers.on(QuickWork.self) { _, _ in isHandled.send() }
        })
      await isHandled.wait()
      await store.shutdown()
    }
  }

  @Test("a lasting effect that a first intent ends doesn't begin")
  func ended() async {
    let store = store(["lasts"], first: [.note("over")])
    await clock.rest()
    #expect(transcript.lines.isEmpty)
    withExtendedLifetime(store) {}
  }

  @Test("policies and CancelEffects of the first intents act in their order")
  func policies() async {
    let store = store(first: [
      .emit([QuickWork(name: "a").scheduled(.latest, id: 1)]),
      .emit([QuickWork(name: "b").scheduled(.latest, id: 1)]),
      .emit([QuickWork(name: "c").scheduled(.latest, id: 2)]),
      .emit([CancelEffects(id: 2), QuickWork(name: "d").scheduled(.delay(.seconds(1)), id: 2)]),
    ])
    #expect(transcript.lines == ["quick b"])
    await clock.advance(by: .seconds(1))
    #expect(transcript.lines == ["quick b", "quick d"])
    withExtendedLifetime(store) {}
  }

  @Test("monitors get the first intents' commits, each before its effects")
  func monitored() {
    let store = store(
      monitors: [Noting(transcript: transcript)],
      first: [.emit([QuickWork(name: "a")]), .note("b")])
    #expect(
      transcript.lines == [
        "commit 1 without unhandled effects", "quick a", "commit 2 without unhandled effects",
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

  @Test("intents that a middleware's thread dispatches reach its handlers, after the first ones")
  func middlewareThreads() async {
    let (isStarted, isDone) = (DispatchSemaphore(value: 0), Signal())
    let early: Middleware<[String]> = { dispatch, _ in
      startThread {
        isStarted.signal()
        dispatch(WorkIntent.emit([QuickWork(name: "early")]))
        isDone.send()
      }
      isStarted.wait()
      return { next in { intent in next(intent) } }
    }
    let store = store(middleware: [early], first: [.emit([QuickWork(name: "first")])])
    await isDone.wait()
    await store.delivered()
    #expect(transcript.lines == ["quick first", "quick early"])
  }

  @Test("its first intents don't pass the middleware, and its handlers' intents do")
  func middleware() {
    let seen = Transcript<String>()
    let watching: Middleware<[String]> = { _, _ in
      { next in
        { intent in
          seen.write("\(intent)")
          next(intent)
        }
      }
    }
    let store = store(
      middleware: [watching], first: [.emit([QuickWork(name: "a")])],
      handlers: { handlers in
        handlers.on(QuickWork.self) { work, dispatch in dispatch(WorkIntent.note(work.name)) }
      })
    #expect(store.state == ["a"])
    #expect(seen.lines == [#"note("a")"#])
  }

  @Test("posted deliveries are posted once it is complete")
  func posted() {
    let pump = Pump()
    let store = store(delivery: pump.delivery, first: [.emit([QuickWork(name: "a")])])
    #expect(pump.waiting == 1)
    pump.run()
    #expect(transcript.lines == ["quick a"])
    withExtendedLifetime(store) {}
  }

  private struct Failed: Error {}

  @Test("if the block throws, there is no store")
  func failing() async {
    #expect(throws: Failed.self) {
      try store(["lasts"], first: [.note("a")]) { handlers in
        handle(handlers)
        throw Failed()
      }
    }
    await clock.rest()
    #expect(transcript.lines.isEmpty)
  }

  @Test("a lasting effect without a handler is a problem")
  func unhandled() {
    let store = store(["lasts"]) { handlers in handlers.on(QuickWork.self) { _, _ in } }
    #expect(problems.lines == [.unhandledLastingEffect(type: "Work")])
    withExtendedLifetime(store) {}
  }

  @Test("if handlers are added later, it is one at the first commit")
  func unhandledLater() async {
    let store = Store(
      state: [], reducer: working,
      lasting: { _ in [Work(name: "a").lasting(id: 1), QuickWork(name: "b").lasting(id: 2)] },
      clock: clock, report: { [problems] in problems.write($0) })
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(1)) }
    #expect(problems.lines.isEmpty)
    store.note("a")
    #expect(problems.lines == [.unhandledLastingEffect(type: "QuickWork")])
    await store.shutdown()
  }
}
