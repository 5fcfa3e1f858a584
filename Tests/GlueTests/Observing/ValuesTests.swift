import Glue
import ProcessSupport
import Testing

@Suite("Values", .tags(.threads), .unwatched)
struct ValuesTests {
  private let executor = ManualExecutor()
  private let transcript = Transcript<Int>()

  /// Starts a task that writes down what it reads, and -1 at the end.
  @discardableResult
  private func read(_ values: StateValues<Int>) -> Task<Void, Never> {
    Task(executorPreference: executor) { [transcript] in
      for await value in values { transcript.write(value) }
      transcript.write(-1)
    }
  }

  @Test("a loop begins with the current value, and then gets each change in order")
  func order() {
    let store = Store()
    store.add(5)
    read(store.values(of: \.value, buffering: .every))
    executor.run()
    #expect(transcript.lines == [5])
    for number in [1, 2] { store.add(number) }
    executor.run()
    store.add(3)
    executor.run()
    #expect(transcript.lines == [5, 6, 8, 11])
  }

  @Test("the value at the beginning is that of the iterator, not that of the sequence")
  func beginning() async {
    let store = Store()
    let values = store.values(of: \.value, buffering: .every)
    store.add(1)
    var iterator = values.makeAsyncIterator()
    store.add(1)
    #expect(await iterator.next() == 1)
    #expect(await iterator.next() == 2)
  }

  @Test("a slow reader gets the newest value alone")
  func newest() async {
    let store = Store()
    var iterator = store.values(of: \.value).makeAsyncIterator()
    for _ in 0..<1000 { store.add(1) }
    #expect(await iterator.next() == 1000)
    store.add(1)
    store.add(1)
    #expect(await iterator.next() == 1002)
  }

  @Test("a slow reader gets every value, if it wants them")
  func every() async {
    let store = Store()
    var iterator = store.values(of: \.value, buffering: .every).makeAsyncIterator()
    for _ in 0..<1000 { store.add(1) }
    for expected in 0...1000 { #expect(await iterator.next() == expected) }
  }

  @Test("values that a slow reader of the newest one skips are released")
  func boundedMemory() {
    struct Latest: Sendable { var object: OnDeinit }
    struct Replace: Intent {}
    let alive = Shared(0)
    let make: @Sendable () -> OnDeinit = {
      alive.change { $0 += 1 }
      return OnDeinit { alive.change { $0 -= 1 } }
    }
    let store = Store(state: Latest(object: make())) { (state, _: Replace) -> [any Effect] in
      state.object = make()
      return []
    }
    let iterator = store.values(of: { ($0.object, 0) }).makeAsyncIterator()
    for _ in 0..<1000 { store.dispatch(Replace()) }
    #expect(alive.value == 1)
    withExtendedLifetime(iterator) {}
  }

  @Test("a sequence may be read several times, at once and later")
  func severalIterators() async {
    let store = Store()
    let values = store.values(of: \.value, buffering: .every)
    var first = values.makeAsyncIterator()
    store.add(1)
    var second = values.makeAsyncIterator()
    store.add(1)
    for expected in 0...2 { #expect(await first.next() == expected) }
    for expected in 1...2 { #expect(await second.next() == expected) }
    for await value in values {
      #expect(value == 2)
      break
    }
  }

  @Test("an Equatable value's repeats are skipped; others come at each commit")
  func repeats() async {
    let store = Store()
    var numbers = store.values(of: \.value, buffering: .every).makeAsyncIterator()
    var pairs = store.values(of: { ($0.value, 0) }, buffering: .every).makeAsyncIterator()
    var states = store.values(of: \.self, buffering: .every).makeAsyncIterator()
    store.dispatch(CounterIntent.ignore)
    store.add(1)
    for expected in [0, 1] { #expect(await numbers.next() == expected) }
    for expected in [0, 0, 1] { #expect(await pairs.next()?.0 == expected) }
    for expected in [0, 0, 1] { #expect(await states.next()?.value == expected) }
  }

  @Test("a whole state that is Equatable skips repeats as well")
  func wholeState() async {
    struct Set: Intent { var number: Int }
    let store = Store(state: 0) { (state, intent: Set) -> [any Effect] in
      state = intent.number
      return []
    }
    var numbers = store.values(of: \.self, buffering: .every).makeAsyncIterator()
    for number in [0, 7, 7, 8] { store.dispatch(Set(number: number)) }
    for expected in [0, 7, 8] { #expect(await numbers.next() == expected) }
  }

  @Test("a loop that waits ends when the store goes")
  func storeGoneWhileWaiting() {
    var store: Store? = Store()
    let weakStore = Weak(object: store)
    if let store { read(store.values(of: \.value)) }
    executor.run()
    #expect(transcript.lines == [0])

    store = nil
    executor.run()

    #expect(weakStore.object == nil)
    #expect(transcript.lines == [0, -1])
  }

  @Test("a loop reads what is left before it ends, when the store has gone")
  func storeGoneBeforeReading() {
    var store: Store? = Store()
    if let store { read(store.values(of: \.value, buffering: .every)) }
    executor.run()
    store?.add(1)
    store?.add(1)
    store = nil
    executor.run()
    #expect(transcript.lines == [0, 1, 2, -1])
  }

  @Test("the values of a store that is gone are none")
  func storeGoneBefore() {
    var store: Store? = Store()
    let values = store?.values(of: \.value)
    store = nil
    if let values { read(values) }
    executor.run()
    #expect(transcript.lines == [-1])
  }

  @Test("canceling the task ends a loop that waits, and its subscription")
  func canceledWhileWaiting() {
    let store = Store()
    let selections = Shared(0)
    let task = read(store.values(of: selector(counting: selections)))
    executor.run()
    #expect(selections.value == 1)

    task.cancel()
    store.add(1)
    executor.run()

    #expect(selections.value == 1)
    #expect(transcript.lines == [0, -1])
  }

  @Test("a canceled task reads none of the remaining values")
  func canceledWithValuesLeft() {
    let store = Store()
    let selections = Shared(0)
    let task = Task(executorPreference: executor) { [transcript] in
      for await value in store.values(of: selector(counting: selections), buffering: .every) {
        transcript.write(value)
        for _ in 0..<10 { store.add(1) }
        withUnsafeCurrentTask { $0?.cancel() }
      }
      transcript.write(-1)
      store.add(1)
    }
    executor.run()
    #expect(transcript.lines == [0, -1])
    #expect(selections.value == 11)
    withExtendedLifetime(task) {}
  }

  @Test("leaving the loop ends the subscription")
  func leaving() async {
    let store = Store()
    let selections = Shared(0)
    let values = store.values(of: selector(counting: selections))
    for await _ in values { break }
    store.add(1)
    #expect(selections.value == 1)
  }

  @Test("an iterator that is kept after its task was canceled costs the store nothing")
  func keptIterator() async {
    let store = Store()
    let selections = Shared(0)
    let values = store.values(of: selector(counting: selections))
    await Task {
      var iterator = values.makeAsyncIterator()
      #expect(await iterator.next() == 0)
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(await iterator.next() == nil)
      store.add(1)
      withExtendedLifetime(iterator) {}
    }.value
    #expect(selections.value == 1)
  }

  @Test("a sequence without a reader costs the store nothing")
  func unread() {
    let store = Store()
    let selections = Shared(0)
    let values = store.values(of: selector(counting: selections))
    store.add(1)
    #expect(selections.value == 0)
    withExtendedLifetime(values) {}
  }

  @Test("neither sequence nor iterator keeps the store alive")
  func lifetime() {
    var store: Store? = Store()
    let weakStore = Weak(object: store)
    let values = store?.values(of: \.value)
    let iterator = values?.makeAsyncIterator()
    store = nil
    #expect(weakStore.object == nil)
    withExtendedLifetime((values, iterator)) {}
  }

  @Test("threads dispatch: every value comes once and in order")
  func threads() async {
    let store = Store()
    async let dispatching: Void = onThread {
      onThreads(2) { _ in for _ in 0..<1000 { store.add(1) } }
    }
    var iterator = store.values(of: \.value, buffering: .every).makeAsyncIterator()
    var last = await iterator.next() ?? -1
    while last < 2000, let value = await iterator.next() {
      #expect(value == last + 1)
      last = value
    }
    await dispatching
  }

  @Test("threads dispatch: the newest values come in order, the last one among them")
  func threadsNewest() async {
    let store = Store()
    async let dispatching: Void = onThread {
      onThreads(2) { _ in for _ in 0..<1000 { store.add(1) } }
    }
    var last = -1
    for await value in store.values(of: \.value) {
      #expect(value > last)
      last = value
      if last == 2000 { break }
    }
    await dispatching
  }

  @Test("a store's queue delivers, the reader's task reads")
  func posted() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    read(store.values(of: \.value, buffering: .every))
    executor.run()
    #expect(transcript.lines == [])
    pump.run()
    store.add(1)
    pump.run()
    executor.run()
    #expect(transcript.lines == [0, 1])
  }

  @Test("a reader may dispatch")
  func dispatching() async {
    let store = Store()
    for await value in store.values(of: \.value) {
      if value == 100 { break }
      store.add(1)
    }
    #expect(store.state.value == 100)
  }
}

/// A selector that counts its calls; impure, but it does no harm.
private func selector(counting calls: Shared<Int>) -> @Sendable (Counter) -> Int {
  { state in
    calls.change { $0 += 1 }
    return state.value
  }
}
