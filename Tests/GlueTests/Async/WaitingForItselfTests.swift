import Glue
import GlueTesting
import ProcessSupport
import Testing

/// Each misuse happens in a process of its own, whose test reads the message that it stops with.
@Suite("An effect that waits for its own store to settle or end stops with a message", .unwatched)
struct WaitingForItselfTests {
  @Test("settled()")
  func settled() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await inAnEffect { await $0.settled() }
    }
    expectMessage(of: result, "settled()")
  }

  @Test("shutdown()")
  func shutdown() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await inAnEffect { await $0.shutdown() }
    }
    expectMessage(of: result, "shutdown()")
  }

  @Test("settled(), in the first of two handlers, although the second one's task begins first")
  func inTheFirstOfTwoHandlers() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let clock = ManualClock()
      let store = Store<[String]>(clock: clock)
      store.onWork { _, _ in await store.settled() }
      store.onWork { _, _ in }
      store.emit(Work(name: "a"))
      clock.manual.runNewestFirst()
    }
    expectMessage(of: result, "settled()")
  }

  @Test("settled(), while an effect waits for this one to end")
  func besideABlockedEffect() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store<[String]>()
      store.onWork { _, _ in await store.settled() }
      let works = ["a", "b"].map { Work(name: $0).scheduled(.sequential, id: 1) }
      await store.perform(WorkIntent.emit(works))
    }
    expectMessage(of: result, "settled()")
  }

  @Test("settled(), in a task that begins after another one has called it")
  func afterAnother() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store<[String]>()
      await store.settled()
      store.onWork { _, _ in await store.settled() }
      await store.perform(WorkIntent.emit([Work(name: "a")]))
    }
    expectMessage(of: result, "settled()")
  }

  @Test("in an asynchronous thunk")
  func inThunk() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store(middleware: [thunkMiddleware()])
      await store.perform(AsyncThunk<[String]> { [store] _, _ in await store.settled() })
    }
    expectMessage(of: result, "settled()")
  }

  @Test("in a function that the effect calls, on an actor")
  func onAnActor() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      actor Waiting { func wait(for store: Store<[String]>) async { await store.settled() } }
      await inAnEffect { await Waiting().wait(for: $0) }
    }
    expectMessage(of: result, "settled()")
  }

  @Test("performing, in a sequential effect, what emits another one of its id", arguments: [1, 2])
  func performingInSequence(depth: Int) async {
    let result =
      depth == 1
      ? await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await performInSequence(ids: ["a", "a"])
      }
      : await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await performInSequence(ids: ["a", "b", "a"])
      }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      output.contains("Glue: perform(_:) was awaited by an effect, and what it performs emitted"))
    #expect(output.contains("Right: dispatch(AppIntent.next), which does not wait"))
  }

  @Test("with another id it may, and a task that is not awaited always may")
  func performingOutOfSequence() async {
    await performInSequence(ids: ["a", "b", "c"])
    let store = Store<[String]>()
    let isOver = Signal()
    store.onWork { name, _ in
      if name == "inner" { return }
      Task {
        let inner = Work(name: "inner").scheduled(.sequential, id: "a")
        await store.perform(WorkIntent.emit([inner]))
        isOver.send()
      }
    }
    store.emit(Work(name: "outer").scheduled(.sequential, id: "a"))
    await isOver.wait()
  }

  @Test("scheduling a cancellation stops with a message")
  func scheduledCancellation() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CancelEffects(id: 1).scheduled(.latest, id: 2)
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Glue: CancelEffects was scheduled."))
    #expect(output.contains("for which the reducer returns CancelEffects(id: \"search\")"))
  }

  @Test("a task that the effect makes may wait, because it is not part of the effect")
  func unstructuredTask() async {
    let waited = Transcript<String>()
    let ended = Signal()
    await inAnEffect { store in
      Task {
        await store.settled()
        waited.write("settled")
        await store.shutdown()
        waited.write("shut down")
        ended.send()
      }
    }
    await ended.wait()
    #expect(waited.lines == ["settled", "shut down"])
  }

  @Test("so may the tasks that this one makes later, wherever they are put in memory")
  func tasksOfATask() async {
    let store = Store<[String]>()
    let ended = Signal()
    store.onWork { _, _ in
      Task {
        for _ in 1...1000 { await Task { await store.settled() }.value }
        ended.send()
      }
    }
    store.emit(Work(name: "a"))
    await ended.wait()
  }

  @Test("an effect may wait for another store")
  func anotherStore() async {
    let other = Store<[String]>()
    await inAnEffect { _ in
      await other.settled()
      await other.shutdown()
    }
  }

  @Test("an effect may perform an intent of its store")
  func perform() async {
    let store = Store<[String]>()
    store.onWork { name, dispatch in
      if name == "inner" { return dispatch(WorkIntent.note("inner")) }
      await store.perform(WorkIntent.emit([Work(name: "inner")]))
      dispatch(WorkIntent.note("outer"))
    }
    await store.perform(WorkIntent.emit([Work(name: "outer")]))
    #expect(store.state == ["inner", "outer"])
  }
}

/// A clock that runs its stores' tasks on an executor of its own.
private final class ManualClock: Clock, OwnedClock {
  let manual = ManualExecutor()
  var executor: any TaskExecutor { manual }
  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
}

/// Has a store's effect call its store, and waits until the effect has ended.
private func inAnEffect(_ body: @escaping @Sendable (Store<[String]>) async -> Void) async {
  let store = Store<[String]>()
  store.onWork { [store] _, _ in await body(store) }
  await store.perform(WorkIntent.emit([Work(name: "a")]))
}

/// Performs effects, each in the one before.
private func performInSequence(ids: [String]) async {
  let store = Store<[String]>()
  store.onWork { [store] name, _ in
    let next = ids.dropFirst(Int(name)!)
    guard let id = next.first else { return }
    let work = Work(name: "\(Int(name)! + 1)").scheduled(.sequential, id: id)
    await store.perform(WorkIntent.emit([work]))
  }
  await store.perform(WorkIntent.emit([Work(name: "1").scheduled(.sequential, id: ids[0])]))
}

private func expectMessage(
  of result: ExitTest.Result?, _ call: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(
    output.contains("Glue: \(call) was awaited by an asynchronous effect of the same store"),
    sourceLocation: sourceLocation)
  #expect(output.contains("await store.perform(AppIntent.save)"), sourceLocation: sourceLocation)
}
