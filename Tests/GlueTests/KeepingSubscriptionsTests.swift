import Glue
import Testing

@Suite("Keeping subscriptions")
struct KeepingSubscriptionsTests {
  @Test("subscriptions in a set last until they are removed from it")
  func set() {
    let store = Store()
    let transcript = Transcript<String>()
    var subscriptions: Set<Subscription> = []
    store.subscribe(selector: \.value) { transcript.write("a\($0)") }.store(in: &subscriptions)
    store.subscribe(selector: \.value) { transcript.write("b\($0)") }.store(in: &subscriptions)
    store.add(1)
    subscriptions = []
    store.add(1)
    #expect(transcript.lines == ["a0", "b0", "a1", "b1"])
  }

  @Test("a subscription equals itself alone, and is in a set once")
  func identity() {
    let store = Store()
    let first = store.subscribe(selector: \.value) { _ in }
    let second = store.subscribe(selector: \.value) { _ in }
    var subscriptions: Set = [first]
    first.store(in: &subscriptions)
    #expect(subscriptions == [first])
    #expect(first != second)
  }
}
