import Glue
import GlueTesting
import ProcessSupport
import Testing

/// The main actor is held for as long as a test does not suspend, so calls that were moved wait.
@Suite("Effects whose handlers belong to the main actor", .tags(.threads), .unwatched)
@MainActor
struct MainActorEffectTests {
  private let store = Store<[String]>()
  private let transcript = Transcript<String>()

  private func quick(_ name: String, _ policy: EffectPolicy) -> any Effect {
    QuickWork(name: name).scheduled(policy, id: "quick")
  }

  @Test("a call that waits is part of its effect, which a leading one finds still there")
  func leading() async {
    store.noteOnMainActor(transcript)
    elsewhere { [store, first = quick("1", .leading), second = quick("2", .leading)] in
      store.emit(first)
      store.emit(second)
    }
    await store.settled()
    #expect(store.state == ["1"])
    store.emit(quick("3", .leading))
    #expect(store.state == ["1", "3"])
  }

  @Test("sequential ones begin when the call of the earlier one has returned")
  func sequential() async {
    store.noteOnMainActor(transcript)
    store.onWork { [transcript] name, _ in transcript.write(name) }
    elsewhere { [store, first = quick("1", .sequential)] in
      store.emit(first)
      store.emit(Work(name: "2").scheduled(.sequential, id: "quick"))
    }
    await store.settled()
    #expect(transcript.lines == ["1", "2"])
  }

  @Test("a restarting one begins when a call that has begun has returned")
  func restarting() async {
    store.on(QuickWork.self) { @MainActor [store, transcript] work, _ in
      store.emit(Work(name: "2").scheduled(.restarting, id: "quick"))
      transcript.write("\(work.name) ends")
    }
    store.onWork { [transcript] name, _ in transcript.write("\(name) begins") }
    elsewhere { [store, first = quick("1", .restarting)] in store.emit(first) }
    await store.settled()
    #expect(transcript.lines == ["1 ends", "2 begins"])
  }

  @Test("a call that waits is not made when its effect was canceled, or replaced")
  func canceled() async {
    store.noteOnMainActor(transcript)
    elsewhere { [store, first = quick("1", .latest), second = quick("2", .latest)] in
      store.emit(first)
      store.emit(second)
      store.emit(QuickWork(name: "3").scheduled(.latest, id: "other"))
      store.emit(CancelEffects(id: "other"))
    }
    await store.settled()
    #expect(transcript.lines == ["2"])
    #expect(store.state == ["2"])
  }

  @Test("perform(_:) returns when the call and everything that it caused have finished")
  func performing() async {
    store.on(QuickWork.self) { @MainActor work, dispatch in
      dispatch(
        WorkIntent.emit(work.name == "1" ? [QuickWork(name: "2"), Work(name: "3")] : []))
    }
    store.onWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    await Task.detached { [store] in
      await store.perform(WorkIntent.emit([QuickWork(name: "1")]))
    }.value
    #expect(store.state == ["3"])
  }

  @Test("at the shutdown calls that wait are made, and their intents reduced")
  func shutdown() async {
    store.noteOnMainActor(transcript)
    elsewhere { [store, scheduled = quick("2", .latest)] in
      store.emit(QuickWork(name: "1"), scheduled)
    }
    await store.shutdown()
    #expect(store.state == ["1", "2"])
  }

  @Test("so are those of an effect whose tasks the shutdown cancels")
  func shutdownOfTasks() async {
    let clock = TestClock()
    store.noteOnMainActor(transcript)
    store.on(QuickWork.self) { _, _ in try? await clock.sleep(for: .seconds(1)) }
    elsewhere { [store] in store.emit(QuickWork(name: "1")) }
    await store.shutdown()
    #expect(transcript.lines == ["1"])
    #expect(store.state == [])
  }

  @Test("a shutdown that waits no longer names calls that have not returned")
  func shutdownWithin() async {
    let clock = ImmediateClock()
    let store = Store<[String]>(clock: clock)
    let (began, mayEnd) = (Signal(), Gate())
    store.on(QuickWork.self) { @MainActor _, _ in
      began.send()
      mayEnd.pass()
    }
    await Task.detached {
      store.emit(QuickWork(name: "1"))
      await began.wait()
      let left = await store.shutdown(finishing: .zero, within: .zero)
      mayEnd.open()
      #expect(
        left == [.effect(QuickWork(name: "1"), id: nil, because: .running), .movedCalls(1)])
    }.value
    await store.settled()
  }
}
