import Dispatch
import Glue
import ProcessSupport
import Testing

/// The main actor is held for as long as a test does not suspend, so calls that were moved wait.
@Suite("Subscribers of the main actor", .tags(.threads), .unwatched)
@MainActor
struct MainActorSubscriberTests {
  private let store = Store()
  private let transcript = Transcript<Int>()

  @Test("intents of the main actor notify at once")
  func atOnce() {
    let subscription = store.tellMainActor(transcript)
    store.add(1)
    #expect(transcript.lines == [0, 1])
    withExtendedLifetime(subscription) {}
  }

  @Test("so it is after a suspension, when the main actor may have left the main thread")
  func atOnceAfterSuspension() async {
    let subscription = store.tellMainActor(transcript)
    await Task.yield()
    store.add(1)
    #expect(transcript.lines == [0, 1])
    withExtendedLifetime(subscription) {}
  }

  @Test("and so is what a block on the main queue dispatches")
  func atOnceOnTheMainQueue() async {
    let subscription = store.tellMainActor(transcript)
    let seen = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { [store, transcript] in
        store.add(1)
        continuation.resume(returning: transcript.lines)
      }
    }
    #expect(seen == [0, 1])
    withExtendedLifetime(subscription) {}
  }

  @Test("intents of other threads notify on the main actor, in order")
  func inOrder() async {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let elsewhere = Shared(0)
    let subscription = store.subscribe(selector: \.value) { @MainActor [transcript] in
      if DispatchQueue.getSpecific(key: key) != true { elsewhere.change { $0 += 1 } }
      MainActor.assertIsolated()
      transcript.write($0)
    }
    await onThread { [store] in for _ in 0..<1000 { store.add(1) } }
    await store.delivered()
    #expect(transcript.lines == Array(0...1000))
    #expect(elsewhere.value == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test("none overtakes one that waits")
  func behindTheWaiting() async {
    let subscription = store.tellMainActor(transcript)
    elsewhere { [store] in store.add(1) }
    store.add(1)
    #expect(transcript.lines == [0])
    await store.delivered()
    #expect(transcript.lines == [0, 1, 2])
    store.add(1)
    #expect(transcript.lines == [0, 1, 2, 3])
    withExtendedLifetime(subscription) {}
  }

  @Test("all that subscribe there are called in one order, none inside another")
  func oneOrder() async {
    let transcript = Transcript<String>()
    let subscriptions = ["a", "b"].map { name in
      store.subscribe(selector: \.value) { @MainActor [store] value in
        transcript.write("\(name)\(value) begins")
        if value == 1 && name == "a" { store.add(1) }
        transcript.write("\(name)\(value) ends")
      }
    }
    elsewhere { [store] in store.add(1) }
    await store.settled()
    let calls = ["a0", "b0", "a1", "b1", "a2", "b2"]
    #expect(transcript.lines == calls.flatMap { ["\($0) begins", "\($0) ends"] })
    withExtendedLifetime(subscriptions) {}
  }

  @Test("other subscribers do not wait for the main actor")
  func othersDoNotWait() {
    let subscription = store.tellMainActor(transcript)
    let others = Transcript<Int>()
    let other = store.subscribe(selector: \.value) { others.write($0) }
    elsewhere { [store] in store.add(1) }
    #expect(others.lines == [0, 1])
    #expect(transcript.lines == [0])
    withExtendedLifetime((subscription, other)) {}
  }

  @Test("after a cancel() on the main actor there is no call, though one waits")
  func canceled() async {
    let subscription = store.tellMainActor(transcript)
    elsewhere { [store] in store.add(1) }
    subscription.cancel()
    await store.settled()
    #expect(transcript.lines == [0])
  }

  @Test("after a cancel() on another thread none starts")
  func canceledElsewhere() async {
    let subscription = store.tellMainActor(transcript)
    elsewhere { [store] in
      store.add(1)
      subscription.cancel()
    }
    await store.settled()
    #expect(transcript.lines == [0])
  }

  @Test("with a delivery on the main queue they are notified there with the others")
  func mainDelivery() async {
    let store = Store(delivery: .main)
    let transcript = Transcript<String>()
    let first = store.subscribe(selector: \.value) { transcript.write("plain \($0)") }
    let second = store.subscribe(selector: \.value) { @MainActor in transcript.write("main \($0)") }
    store.add(1)
    #expect(transcript.lines == [])
    await store.delivered()
    #expect(transcript.lines == ["plain 0", "main 0", "plain 1", "main 1"])
    withExtendedLifetime((first, second)) {}
  }

  @Test("every form of subscribing has one for the main actor")
  func allForms() {
    struct Point: Sendable, Equatable { var x = 0, y = 0 }
    enum Move: Intent { case right, stay }
    let store = Store(state: Point()) { (point, move: Move) -> [any Effect] in
      if move == .right { point.x += 1 }
      return []
    }
    let view = store.view(of: \.x, intent: Move.self)
    let tupleView = store.view(of: { ($0.x, $0.y) }, intent: Move.self)
    let forms = Transcript<String>()
    let subscriptions = [
      store.subscribe { @MainActor in forms.write("state \($0.x)") },
      store.subscribe(selector: \.x) { @MainActor in forms.write("x \($0)") },
      store.subscribe(selector: { ($0.x, $0.y) }) { @MainActor in forms.write("tuple \($0)") },
      view.subscribe { @MainActor in forms.write("view \($0)") },
      tupleView.subscribe { @MainActor in forms.write("tuple's view \($0)") },
    ]
    let counter = Store()
    let whole = counter.subscribe { @MainActor in forms.write("counter \($0.value)") }
    let first = ["state 0", "x 0", "tuple (0, 0)", "view 0", "tuple's view (0, 0)", "counter 0"]
    #expect(forms.lines == first)

    store.dispatch(Move.stay)
    counter.dispatch(CounterIntent.ignore)
    let stay = ["tuple (0, 0)", "tuple's view (0, 0)", "counter 0"]
    #expect(forms.lines == first + stay)

    elsewhere {
      store.dispatch(Move.right)
      counter.dispatch(CounterIntent.ignore)
    }
    #expect(forms.lines == first + stay)
    withExtendedLifetime((subscriptions, whole)) {}
  }
}
