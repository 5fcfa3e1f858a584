import Dispatch
import Glue
import Testing
import ProcessSupport

@Suite("Observing a StoreView")
struct StoreViewObservingTests {
  private let store = Store(state: House(), reducer: house)

  @Test("a part that is Equatable is delivered when it has changed")
  func equatable() {
    let transcript = Transcript<String?>()
    let title = store.view(of: { $0.todos["a"] }, id: "a", intent: TodoIntent.self)
      .view(of: { $0?.title })
    let subscription = title.subscribe { transcript.write($0) }
    title.dispatch(.toggle)
    title.dispatch(.title(.set("new")))
    store.dispatch(CounterIntent.add(1))
    #expect(transcript.lines == ["first", "new"])
    withExtendedLifetime(subscription) {}
  }

  @Test("a part that is not Equatable is delivered at each commit")
  func notEquatable() {
    let transcript = Transcript<Int>()
    let counter = store.view(of: \.counter, intent: CounterIntent.self)
    let subscription = counter.subscribe { transcript.write($0.value) }
    counter.dispatch(.ignore)
    counter.dispatch(.add(1))
    #expect(transcript.lines == [0, 0, 1])
    subscription.cancel()
    counter.dispatch(.add(1))
    #expect(transcript.lines == [0, 0, 1])
  }

  @Test("a handler may be called on a queue")
  func onAQueue() async {
    let queue = DispatchQueue(label: "view")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let counter = store.view(of: \.counter, intent: CounterIntent.self)
    let isThere = Transcript<Bool?>()
    let both = Signal()
    let value = counter.view(of: \.value).subscribe(on: queue) { _ in
      isThere.write(DispatchQueue.getSpecific(key: key))
    }
    let whole = counter.subscribe(on: queue) { _ in
      isThere.write(DispatchQueue.getSpecific(key: key))
      both.send()
    }
    await both.wait()
    await onThread { queue.sync {} }
    #expect(isThere.lines == [true, true])
    withExtendedLifetime((value, whole)) {}
  }

  @Test("its values are a sequence, without repeats if they are Equatable")
  func values() async {
    let counter = store.view(of: \.counter, intent: CounterIntent.self)
    var states = counter.values(buffering: .every).makeAsyncIterator()
    var numbers = counter.view(of: \.value).values(buffering: .every).makeAsyncIterator()
    var newest = counter.values().makeAsyncIterator()
    counter.dispatch(.ignore)
    counter.dispatch(.add(1))
    for expected in [0, 0, 1] { #expect(await states.next()?.value == expected) }
    for expected in [0, 1] { #expect(await numbers.next() == expected) }
    #expect(await newest.next()?.value == 1)
  }

  @Test("its values do not keep the store alive, nor does a subscription")
  func lifetime() async {
    var store: Store? = Store()
    let weakStore = Weak(object: store)
    let values = store?.view(of: \.value, intent: CounterIntent.self).values()
    let subscription = store?.view(of: \.value, intent: CounterIntent.self).subscribe { _ in }
    store = nil
    #expect(weakStore.object == nil)
    var iterator = values?.makeAsyncIterator()
    #expect(await iterator?.next() == nil)
    withExtendedLifetime(subscription) {}
  }
}
