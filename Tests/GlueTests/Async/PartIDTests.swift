import Glue
import GlueTesting
import Testing

@Suite("Effects whose ids lie in a part are canceled at once")
struct PartIDTests {
  private let clock = TestClock()

  /// Emits works that run for 100 s, cancels, and says which end.
  private func ended(
    of works: [ScheduledEffect], after cancel: CancelEffects, policyTime: Duration = .zero
  ) async -> [String] {
    let store = Store<[String]>(clock: clock)
    store.onWork { [clock] name, dispatch in
      try? await clock.sleep(for: .seconds(100))
      dispatch(WorkIntent.note(name))
    }
    store.dispatch(WorkIntent.emit(works))
    await clock.rest()
    store.emit(cancel)
    await clock.run()
    await store.settled()
    return store.state.sorted()
  }

  private func work(
    _ name: String, _ id: some Hashable & Sendable, _ policy: EffectPolicy = .latest
  ) -> ScheduledEffect {
    Work(name: name).scheduled(policy, id: id)
  }

  @Test("of that part, at any depth, and no others")
  func depths() async {
    let list = [
      work("own", PartID("list", 1)), work("row", PartID(PartID("list", 7), "load")),
      work("deep", PartID(PartID(PartID("list", 7), "x"), "load")),
      work("other part", PartID("other", 1)), work("part's own id", "list"),
      work("part as an id", PartID("other", "list")), work("no part", 7),
    ]
    let others = ["no part", "other part", "part as an id", "part's own id"]
    #expect(await ended(of: list, after: CancelEffects(part: "list")) == others)
    #expect(
      await ended(of: list, after: CancelEffects(part: PartID("list", 7)))
        == (others + ["own"]).sorted())
    #expect(await ended(of: list, after: CancelEffects(part: "nothing")).count == 7)
  }

  @Test("queued, waiting, held and running ones, of any policy", arguments: policies)
  func phases(policy: EffectPolicy) async {
    let works = ["a", "b", "c"].map { work($0, PartID("part", "id"), policy) }
    #expect(await ended(of: works, after: CancelEffects(part: "part")).isEmpty)
    #expect(await ended(of: works, after: CancelEffects(part: "id")).isEmpty == false)
  }

  @Test("policies see the whole id alone, and a whole id is canceled as any other")
  func wholeIDs() async {
    let works = [work("a", PartID("part", 1)), work("b", PartID("part", 2))]
    #expect(await ended(of: works, after: CancelEffects(id: PartID("part", 1))) == ["b"])
    #expect(await ended(of: works, after: CancelEffects(id: "part")) == ["a", "b"])
  }

  @Test("of the same array only those before it, and none that last or have no policy")
  func limits() async {
    let part = CancelEffects(part: "part")
    let store = Store(
      state: [], reducer: working,
      lasting: { _ in [Work(name: "lasting").lasting(id: PartID("part", 1))] }, clock: clock)
    store.onWork { [clock] name, dispatch in
      try? await clock.sleep(for: .seconds(1))
      dispatch(WorkIntent.note(name))
    }
    store.emit(
      work("before", PartID("part", 1)), Work(name: "plain"), part, work("after", PartID("part", 1))
    )
    await clock.run()
    await store.settled()
    #expect(store.state.sorted() == ["after", "lasting", "plain"])
  }

  @Test("in the order of emission, which does not depend on hashes")
  func order() async {
    let events = Transcript<Int>()
    let store = Store(
      state: [], reducer: working, monitors: [Cancelled(transcript: events)], clock: clock)
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(1)) }
    store.dispatch(WorkIntent.emit((0..<20).map { work("\($0)", PartID("part", $0)) }))
    store.emit(CancelEffects(part: "part"))
    #expect(events.lines == Array(0..<20))
    await store.settled()
  }

  private struct Cancelled: EffectMonitor {
    let transcript: Transcript<Int>

    func observe(_ commit: Commit<[String]>) {}

    func observe(_ event: EffectEvent) {
      guard case .canceled = event.kind, case .effect(let index, _) = event.cause else { return }
      transcript.write(index)
    }
  }

  @Test("a part and an id of the same value are two cancellations")
  func equality() {
    #expect(CancelEffects(part: 1) == CancelEffects(part: 1))
    #expect(CancelEffects(part: 1) != CancelEffects(id: 1))
    #expect(CancelEffects(part: 1).cancelsWholePart && !CancelEffects(id: 1).cancelsWholePart)
  }

  @Test("also when ids come and go after a part was first canceled")
  func laterIDs() async {
    let store = Store<[String]>(clock: clock)
    store.onWork { [clock] name, dispatch in
      try? await clock.sleep(for: .seconds(100))
      dispatch(WorkIntent.note(name))
    }
    for round in 1...3 {
      store.dispatch(
        WorkIntent.emit([
          work("row \(round)", PartID(PartID("list", round), "load")),
          work("own \(round)", PartID("list", "own")), work("other \(round)", PartID("other", 1)),
        ]))
      await clock.rest()
      store.emit(round == 2 ? CancelEffects(part: PartID("list", 2)) : CancelEffects(part: "list"))
    }
    await clock.run()
    await store.settled()
    #expect(store.state == ["other 3"])
  }
}
