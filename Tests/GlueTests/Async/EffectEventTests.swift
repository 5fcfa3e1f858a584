import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("Monitors that watch effects get their events", .unwatched)
struct EffectEventTests {
  private final class Watching: EffectMonitor {
    let transcript = Transcript<String>()

    func observe(_ commit: Commit<[String]>) { transcript.write("#\(commit.number)") }

    func observe(_ event: EffectEvent) {
      guard case .effect(let index, let commit) = event.cause else { return }
      transcript.write("\(event.kind) \(index) of #\(commit)")
    }
  }

  private let watching = Watching()
  private let clock = TestClock()
  private let store: Store<[String]>

  init() {
    store = Store(state: [], reducer: working, monitors: [watching], clock: clock)
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    store.on(Work.self) { [clock] work, dispatch in
      try? await clock.sleep(for: work.duration)
      dispatch(WorkIntent.note(work.name))
    }
  }

  private var lines: [String] { watching.transcript.lines }

  @Test("the end of an effect comes after the commits that it has caused")
  func quick() {
    store.emit(QuickWork(name: "a"), QuickWork(name: "b"))
    #expect(
      lines == [
        "#1", "started 0 of #1", "#2", "ended 0 of #1", "started 1 of #1", "#3", "ended 1 of #1",
      ])
  }

  @Test("asynchronous ones end when their tasks have returned")
  func slow() async {
    store.emit(Work(name: "a", duration: .seconds(1)))
    #expect(lines == ["#1", "started 0 of #1"])
    await clock.advance(by: .seconds(1))
    #expect(lines == ["#1", "started 0 of #1", "#2", "ended 0 of #1"])
  }

  @Test("canceled, replaced and dropped effects have events, and so have the ends of started ones")
  func canceled() async {
    let effect = Work(name: "a", duration: .seconds(1))
    store.emit(effect.scheduled(.latest, id: 1))
    await clock.rest()
    await Task(executorPreference: clock.executor) { [store] in
      store.emit(effect.scheduled(.debounce(.seconds(1)), id: 1))
      store.emit(effect.scheduled(.leading, id: 1), CancelEffects(id: 1))
    }.value
    await clock.rest()
    #expect(
      lines == [
        "#1", "started 0 of #1", "#2", "canceled 0 of #1", "#3", "canceled 0 of #3",
        "canceled 0 of #2", "ended 0 of #1",
      ])
  }

  @Test("a lasting effect's events have its id, from its beginning")
  func lasting() async {
    let events = Transcript<String>()
    let watching = LastingWatch(events: events)
    let store = Store(
      state: [], reducer: working, monitors: [watching],
      lasting: { $0.suffix(1).map { Work(name: $0).lasting(id: $0) } }, clock: clock)
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(1)) }
    store.note("a")
    await clock.rest()
    store.note("b")
    await clock.rest()
    #expect(events.lines.filter { $0.hasSuffix("a") } == ["started a", "canceled a", "ended a"])
    #expect(events.lines.filter { $0.hasSuffix("b") } == ["started b"])
    await store.shutdown()
  }

  private struct LastingWatch: EffectMonitor {
    let events: Transcript<String>

    func observe(_ commit: Commit<[String]>) {}

    func observe(_ event: EffectEvent) {
      if let id = event.lastingID { events.write("\(event.kind) \(id)") }
    }
  }

  @Test("a watched effect whose synchronous handler is at work at the shutdown may dispatch")
  func shutdown() async {
    let inHandler = Transcript<String>()
    let store = Store(state: [], reducer: working, monitors: [watching], clock: clock)
    store.onQuickWork { [clock, weak store] name, dispatch in
      guard let store else { return }
      Task.immediate(executorPreference: clock.executor) { await store.shutdown() }
      dispatch(WorkIntent.note(name))
      inHandler.write(name)
    }
    store.emit(QuickWork(name: "a"))
    #expect(store.state == ["a"])
    #expect(inHandler.lines == ["a"])
    await store.shutdown()
  }
}
