import Glue
import ProcessSupport
import Testing

/// The main actor is held for as long as a test does not suspend, so calls that were moved wait.
@Suite("Calls that wait for the main actor", .tags(.threads), .unwatched)
@MainActor
struct MainActorWaitingTests {
  private let store = Store()
  private let transcript = Transcript<Int>()

  enum Wait: CaseIterable {
    case delivered, settled, shutdown, shutdownWithin
  }

  @Test("calls that wait are waited for", arguments: Wait.allCases)
  func waiting(_ wait: Wait) async {
    let subscription = store.tellMainActor(transcript)
    elsewhere { [store] in store.add(1) }
    switch wait {
    case .delivered: await store.delivered()
    case .settled: await store.settled()
    case .shutdown: await store.shutdown()
    case .shutdownWithin:
      let left = await store.shutdown(finishing: .seconds(600), within: .seconds(600))
      #expect(left == [])
    }
    #expect(transcript.lines == [0, 1])
    withExtendedLifetime(subscription) {}
  }

  @Test("a store that goes leaves the calls that wait, and nothing keeps it for them")
  func storeGoes() async {
    var store: Store<Counter>? = Store()
    let weakly = Weak(object: store)
    let told = Signal()
    let subscription = store?.subscribe(selector: \.value) { @MainActor [transcript] in
      transcript.write($0)
      if $0 == 1 { told.send() }
    }
    do {
      let last = Shared(store.take())
      elsewhere { last.exchange(nil)?.add(1) }
    }
    #expect(weakly.object == nil)
    #expect(transcript.lines == [0])
    await told.wait()
    #expect(transcript.lines == [0, 1])
    withExtendedLifetime(subscription) {}
  }

  @Test("calls that wait know nothing of the task whose dispatch has caused the first one")
  func taskLocals() async {
    let names = Transcript<String>()
    let subscription = store.subscribe(selector: \.value) { @MainActor _ in names.write(Local.name)
    }
    await Task.detached { [store] in
      Local.$name.withValue("a task") { store.add(1) }
    }.value
    await store.delivered()
    #expect(names.lines == ["nobody", "nobody"])
    withExtendedLifetime(subscription) {}
  }

  @Test("a chain of dispatches without end lets others use the main actor")
  func othersAreLetIn() async {
    let goesOn = Shared(true)
    let subscription = store.subscribe(selector: \.value) { @MainActor [store] value in
      if value > 0 && goesOn.value { store.add(1) }
    }
    elsewhere { [store] in store.add(1) }
    await Task { @MainActor in goesOn.value = false }.value
    await store.settled()
    withExtendedLifetime(subscription) {}
  }

  @Test("a chain of dispatches uses constant stack, at once and moved", arguments: [false, true])
  func constantStack(isMoved: Bool) async {
    let count = 100_000
    let subscription = store.subscribe(selector: \.value) { @MainActor [store] value in
      if value > 0 && value < count { store.add(1) }
    }
    if isMoved { elsewhere { [store] in store.add(1) } } else { store.add(1) }
    await store.settled()
    #expect(store.state.value == count)
    withExtendedLifetime(subscription) {}
  }
}

private enum Local {
  @TaskLocal static var name = "nobody"
}
