import Glue
import GlueTesting
import ProcessSupport
import Testing

/// The state says which works last: their names by their ids.
private struct Lasting: Sendable, Equatable {
  var works: [String] = []
  var notes: [String] = []
}

private enum LastingIntent: Intent, Equatable {
  case last([String])
  case note(String)
  case emit(String)
}

@Sendable
private func reduce(state: inout Lasting, intent: LastingIntent) -> [any Effect] {
  switch intent {
  case .last(let works): state.works = works
  case .note(let note): state.notes.append(note)
  case .emit(let name):
    return [Work(name: name).scheduled(.latest, id: "a"), CancelEffects(id: "b")]
  }
  return []
}

/// The id of a work is the letter that its name begins with.
@Sendable
private func lasting(state: Lasting) -> [LastingEffect] {
  state.works.map { Work(name: $0).lasting(id: String($0.prefix(1))) }
}

@Suite("Lasting effects follow from the state", .unwatched)
struct LastingEffectTests {
  private let clock = TestClock()
  private let transcript = Transcript<String>()

  /// Works last until they are canceled, and then need a second to end, if they have no comma.
  private func store(
    _ works: [String] = [], monitors: [any Monitor<Lasting>] = [],
    report: (@Sendable (Problem) -> Void)? = { _ in }
  ) -> Store<Lasting> {
    Store(
      state: Lasting(works: works), reducer: reduce, monitors: monitors, lasting: lasting,
      clock: clock, report: report)
  }

  private func run(
    _ store: Store<Lasting>, as handler: String = "", slowEnd: Bool = false
  ) {
    store.on(Work.self) { [clock, transcript] work, dispatch in
      transcript.write("[\(handler)\(work.name)")
      while !Task.isCancelled {
        try? await clock.sleep(for: .seconds(100))
        dispatch(LastingIntent.note(work.name))
      }
      if slowEnd {
        await Task(executorPreference: clock.executor) {
          try? await clock.sleep(for: .seconds(1))
        }.value
      }
      transcript.write("\(handler)\(work.name)]")
    }
  }

  @Test("they start, continue, change and stop as it says, never two of an id at once")
  func following() async {
    let store = store(["a1"])
    run(store, slowEnd: true)
    await clock.rest()
    store.dispatch(LastingIntent.last(["b1", "a1"]))
    await clock.rest()
    #expect(transcript.lines == ["[a1", "[b1"])
    store.dispatch(LastingIntent.last(["a2"]))
    await clock.rest()
    #expect(transcript.lines == ["[a1", "[b1"])
    store.dispatch(LastingIntent.last(["a3", "b1"]))
    await clock.rest()
    #expect(transcript.lines == ["[a1", "[b1"])
    await clock.advance(by: .seconds(1))
    #expect(transcript.lines.filter { $0.contains("a") } == ["[a1", "a1]", "[a3"])
    #expect(transcript.lines.filter { $0.contains("b") } == ["[b1", "b1]", "[b1"])
    #expect(store.state.notes.isEmpty, "what a canceled one dispatches is not reduced (G11)")
    store.dispatch(LastingIntent.last([]))
    await clock.advance(by: .seconds(1))
    #expect(Set(transcript.lines.suffix(2)) == ["a3]", "b1]"])
  }

  @Test("a → b → a and a → none → a end the first one before they start again")
  func again() async {
    for detour in [["a2"], []] {
      let transcript = Transcript<String>()
      let store = store(["a1"])
      store.on(Work.self) { [clock] work, _ in
        transcript.write("[\(work.name)")
        while !Task.isCancelled { try? await clock.sleep(for: .seconds(100)) }
        await Task(executorPreference: clock.executor) {
          try? await clock.sleep(for: .seconds(1))
        }.value
        transcript.write("\(work.name)]")
      }
      await clock.rest()
      store.dispatch(LastingIntent.last(detour))
      store.dispatch(LastingIntent.last(["a1"]))
      await clock.advance(by: .seconds(1))
      #expect(transcript.lines == ["[a1", "a1]", "[a1"])
      store.dispatch(LastingIntent.last([]))
      await clock.advance(by: .seconds(1))
    }
  }

  @Test("new ones start after the effects of their commit, in the order of the array")
  func order() async {
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, _: LastingIntent) -> [any Effect] in
        state += 1
        return [QuickWork(name: "own")]
      },
      lasting: { state in
        state == 0 ? [] : ["x", "y"].map { Work(name: $0).lasting(id: $0) }
      }, clock: clock)
    store.on(QuickWork.self) { [transcript] work, _ in transcript.write(work.name) }
    store.on(Work.self) { [transcript] work, _ async in transcript.write(work.name) }
    store.dispatch(LastingIntent.note(""))
    await clock.rest()
    #expect(transcript.lines == ["own", "x", "y"])
  }

  @Test("a handler that is added later runs what lasts then, or joins what waits for its turn")
  func laterHandlers() async {
    let store = store(["a1"])
    run(store, slowEnd: true)
    await clock.rest()
    run(store, as: "second ", slowEnd: true)
    await clock.rest()
    #expect(transcript.lines == ["[a1", "[second a1"])
    store.dispatch(LastingIntent.last(["a2"]))
    run(store, as: "third ", slowEnd: true)
    await clock.rest()
    #expect(transcript.lines.count == 2)
    await clock.advance(by: .seconds(1))
    #expect(Set(transcript.lines.suffix(3)) == ["[a2", "[second a2", "[third a2"])
    store.dispatch(LastingIntent.last([]))
    await clock.advance(by: .seconds(1))
  }

  @Test("one whose tasks have returned has ended until a commit without it, or with another effect")
  func over() async {
    let store = store(["a1"])
    store.on(Work.self) { [transcript] work, _ async in transcript.write(work.name) }
    await clock.rest()
    store.dispatch(LastingIntent.note(""))
    store.dispatch(LastingIntent.last(["a1", "b"]))
    await clock.rest()
    #expect(transcript.lines == ["a1", "b"])
    store.dispatch(LastingIntent.last(["b"]))
    store.dispatch(LastingIntent.last(["b", "a1"]))
    await clock.rest()
    #expect(transcript.lines == ["a1", "b", "a1"])
  }

  @Test("settled and perform do not wait for them, nor for their tasks once they are canceled")
  func settling() async {
    let store = store(["a1"])
    run(store, slowEnd: true)
    await clock.rest()
    await store.settled()
    await store.perform(LastingIntent.last(["a2"]))
    await store.settled()
    #expect(transcript.lines == ["[a1"])
    await clock.advance(by: .seconds(1))
    #expect(transcript.lines == ["[a1", "a1]", "[a2"])
  }

  @Test("shutdown cancels them and waits for their tasks; none starts afterwards")
  func shutdown() async {
    for isFinishing in [false, true] {
      let store = store(["a1"])
      run(store, slowEnd: true)
      await clock.rest()
      let waiter = await Waiter(on: clock) {
        if isFinishing {
          #expect(await store.shutdown(finishing: .seconds(5), within: .seconds(9)) == [])
        } else {
          await store.shutdown()
        }
      }
      #expect(!waiter.isOver)
      store.dispatch(LastingIntent.last(["b"]))
      run(store, as: "late ")
      await clock.advance(by: .seconds(1))
      #expect(waiter.isOver)
    }
    #expect(transcript.lines == ["[a1", "a1]", "[a1", "a1]"])
  }

  @Test("releasing the store cancels them")
  func lifetime() async {
    var store: Store<Lasting>? = store(["a1"])
    store.map { run($0) }
    await clock.rest()
    store = nil
    await clock.rest()
    #expect(transcript.lines == ["[a1", "a1]"])
  }

  @Test("their ids are apart from those of scheduled effects and of CancelEffects")
  func ids() async {
    let problems = Transcript<Problem>()
    let store = store(["a1", "b1"], report: { problems.write($0) })
    run(store)
    await clock.rest()
    store.dispatch(LastingIntent.emit("scheduled"))
    await clock.rest()
    #expect(transcript.lines == ["[a1", "[b1", "[scheduled"])
    #expect(problems.lines == [.cancellationOfLastingEffect(type: "Work")])
    await store.shutdown()
  }

  @Test("a monitor gets those that began and ceased, and the causes of their intents")
  func monitored() async {
    let commits = Transcript<Commit<Lasting>>()
    let store = store(["a1"], monitors: [Collecting(commits: commits)])
    run(store)
    store.dispatch(LastingIntent.last(["b1", "a2"]))
    store.dispatch(LastingIntent.last(["b1"]))
    await clock.advance(by: .seconds(100))
    let lines = commits.lines
    let a1 = Work(name: "a1").lasting(id: "a")
    let a2 = Work(name: "a2").lasting(id: "a")
    let b1 = Work(name: "b1").lasting(id: "b")
    #expect(lines.map(\.begunLastingEffects) == [[b1, a2], [], []])
    #expect(lines.map(\.ceasedLastingEffects) == [[a1], [a2], []])
    #expect(lines.last?.cause == .lasting("b", sinceCommit: 1))
    await store.shutdown()
  }

  private struct Collecting: Monitor {
    let commits: Transcript<Commit<Lasting>>
    func observe(_ commit: Commit<Lasting>) { commits.write(commit) }
  }

  @Test("undo starts and stops them, though it emits no effects")
  func undo() async {
    let store = Store(
      state: History(Lasting()), reducer: undoable(reduce, limit: 10),
      lasting: { lasting(state: $0.present) }, clock: clock)
    store.on(Work.self) { [transcript, clock] work, _ in
      transcript.write("[\(work.name)")
      try? await clock.sleep(for: .seconds(100))
      transcript.write("\(work.name)]")
    }
    store.dispatch(LastingIntent.last(["a1"]))
    await clock.rest()
    store.dispatch(HistoryIntent.undo)
    await clock.rest()
    store.dispatch(HistoryIntent.redo)
    await clock.rest()
    #expect(transcript.lines == ["[a1", "a1]", "[a1"])
    await store.shutdown()
  }

  @Test("one that runs may wait for the store to settle")
  func settlingInside() async {
    let store = store(["a1"])
    store.on(Work.self) { [transcript, weak store] work, _ async in
      await store?.settled()
      transcript.write("settled")
    }
    await clock.rest()
    await store.settled()
    await clock.rest()
    #expect(transcript.lines == ["settled"])
  }

  @Test("values compared and released for them are released unlocked (G6)")
  func release() async {
    let store = Shared<Store<Int>?>(nil)
    let released = Transcript<Int>()
    store.value = Store(
      state: 0,
      reducer: { (state: inout Int, intent: CounterIntent) -> [any Effect] in
        state += 1
        return []
      },
      lasting: { _ in
        [Holding(object: OnDeinit { store.value.map { released.write($0.state) } }).lasting(id: 1)]
      })
    for _ in 1...3 { store.value?.dispatch(CounterIntent.ignore) }
    #expect(released.lines == [1, 2, 3])
    store.value = nil
  }

  private struct Holding: Effect, Equatable {
    let object: OnDeinit
  }

  @Test(
    "effects that can't last, and two of one id, stop the program with the cure")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      _ = Work(name: "").scheduled(.latest, id: 1).lasting(id: 1)
    }
    await #expect(processExitsWith: .failure) {
      _ = CancelEffects(id: 1).lasting(id: 1)
    }
    await #expect(processExitsWith: .failure) {
      _ = Send(CounterIntent.ignore).lasting(id: 1)
    }
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Store(
        state: 0, reducer: { (_: inout Int, _: CounterIntent) -> [any Effect] in [] },
        lasting: { _ in ["x", "y"].map { Work(name: $0).lasting(id: 1) } })
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      message.contains(
        "Glue: lasting: returned two effects with one id, of type Int: a Work and a Work."))
  }
}
