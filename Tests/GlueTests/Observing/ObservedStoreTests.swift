import Glue
import Observation
import ProcessSupport
import Testing

@Suite("ObservedStore", .tags(.threads), .unwatched) @MainActor
struct ObservedStoreTests {
  private let comparisons = Shared(0)
  private let store: Store<Page>
  private let told = Transcript<String>()

  init() {
    store = Store(state: Page(counted: Counted(comparisons)), reducer: page)
  }

  /// Reads, and writes down once that what was read changes.
  private func track(
    _ name: String = "told", _ read: () -> Void, signalling isTold: Signal? = nil
  ) {
    withObservationTracking(read) { [told] in
      told.write(name)
      isTold?.send()
    }
  }

  /// Makes a change elsewhere that notifies a reader.
  private func awaitTelling(of read: () -> Void, _ change: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      withObservationTracking(read) { continuation.resume() }
      startThread(change)
    }
  }

  @Test("the example of the documentation")
  func example() {
    let counter = ObservedStore(Store())
    withObservationTracking {
      told.write("\(counter.value)")
    } onChange: { [told] in
      told.write("the value changes")
    }
    counter.dispatch(CounterIntent.add(1))
    #expect(told.lines == ["0", "the value changes"])
  }

  @Test("a change is not missed that was made while the store began, or before its first delivery")
  func changedInTheBeginning() {
    let pump = Pump()
    let store = Store(
      state: Page(counted: Counted(comparisons)), reducer: page, delivery: pump.delivery,
      first: [PageIntent.left(1)], handlers: { _ in })
    let observed = ObservedStore(store)
    track { _ = observed.left }
    store.dispatch(PageIntent.left(2))
    pump.run()
    observed.dispatch(PageIntent.right(1))
    #expect(told.lines == ["told"])
  }

  @Test("reads are current after dispatches of any thread, tracked or not")
  func reads() async {
    let observed = ObservedStore(store)
    #expect(observed.left == 0)
    store.dispatch(PageIntent.left(1))
    #expect(observed.left == 1)
    await onThread { [store] in store.dispatch(PageIntent.left(2)) }
    #expect(observed.left == 2)
    #expect(observed.state.left == 2)
    observed.dispatch(PageIntent.left(3))
    #expect(store.state.left == 3)
  }

  @Test("reading one property observes that property alone")
  func independentProperties() {
    let observed = ObservedStore(store)
    track("left") { _ = observed.left }
    track("right") { _ = observed.right }
    observed.dispatch(PageIntent.right(1))
    #expect(told.lines == ["right"])
    observed.dispatch(PageIntent.left(1))
    #expect(told.lines == ["right", "left"])
  }

  @Test("reading two properties observes both, and notifies once")
  func twoProperties() {
    let observed = ObservedStore(store)
    for intent in [PageIntent.left(1), .right(1)] {
      track { _ = (observed.left, observed.right) }
      observed.dispatch(intent)
    }
    observed.dispatch(PageIntent.left(2))
    #expect(told.lines == ["told", "told"])
  }

  @Test("several readers of a property are all notified")
  func severalReaders() {
    let observed = ObservedStore(store)
    track("a") { _ = observed.left }
    track("b") { _ = observed.left }
    observed.dispatch(PageIntent.left(1))
    #expect(told.lines.sorted() == ["a", "b"])
  }

  @Test("a property within a property observes the outer one")
  func nestedProperty() {
    let observed = ObservedStore(store)
    track { _ = observed.user.name }
    observed.dispatch(PageIntent.user(User(name: "", age: 1)))
    #expect(told.lines == ["told"])
  }

  @Test("an Equatable property that stays equal doesn't notify, any other does at each commit")
  func repeats() {
    let observed = ObservedStore(store)
    track("equatable") { _ = observed.left }
    track("other") { _ = observed.unequatable }
    observed.dispatch(PageIntent.left(0))
    #expect(told.lines == ["other"])
  }

  @Test("reading the state observes all of it")
  func wholeState() {
    let observed = ObservedStore(store)
    for intent in [PageIntent.left(1), .right(1), .right(1)] {
      track { _ = observed.state }
      observed.dispatch(intent)
    }
    #expect(told.lines == ["told", "told", "told"])
  }

  @Test("reading a state that is Equatable notifies when it has changed")
  func equatableState() {
    let observed = ObservedStore(
      Store(state: 0) { (state, intent: PageIntent) -> [any Effect] in
        if case .left(let number) = intent { state = number }
        return []
      })
    track { _ = observed.state }
    observed.dispatch(PageIntent.left(0))
    #expect(told.lines == [])
    observed.dispatch(PageIntent.left(1))
    #expect(told.lines == ["told"])
  }

  @Test("another thread's changes notify on the main actor, after the change")
  func otherThread() async {
    let observed = ObservedStore(store)
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = observed.left
      } onChange: { [told] in
        MainActor.assumeIsolated { told.write("\(observed.left)") }
        continuation.resume()
      }
      startThread { [store] in store.dispatch(PageIntent.left(7)) }
    }
    #expect(told.lines == ["7"])
  }

  @Test("two properties are independent, on any thread")
  func independentPropertiesFromAThread() async {
    let observed = ObservedStore(store)
    track("right") { _ = observed.right }
    await awaitTelling(of: { _ = observed.left }) { [store] in
      store.dispatch(PageIntent.left(1))
    }
    #expect(told.lines == [])
    await awaitTelling(of: { _ = observed.left }) { [store] in
      store.dispatch(PageIntent.right(1))
      store.dispatch(PageIntent.left(2))
    }
    observed.dispatch(PageIntent.left(2))
    #expect(told.lines == ["right"])
  }

  @Test("for intents dispatched to the store itself on the main actor, a task notifies")
  func directDispatch() async {
    let observed = ObservedStore(store)
    let isTold = Signal()
    track("told", { _ = observed.left }, signalling: isTold)
    store.dispatch(PageIntent.left(1))
    #expect(told.lines == [])
    await isTold.wait()
    #expect(told.lines == ["told"])
  }

  @Test("where the store delivers elsewhere, changes notify when they are delivered")
  func posted() async {
    let pump = Pump()
    let observed = ObservedStore(
      Store(state: Page(), reducer: page, delivery: pump.delivery))
    let isTold = Signal()
    track("told", { _ = observed.left }, signalling: isTold)
    observed.dispatch(PageIntent.left(1))
    #expect(observed.left == 1)
    #expect(told.lines == [])
    await onThread { pump.run() }
    await isTold.wait()
    #expect(told.lines == ["told"])
  }

  @Test("no change is lost, however reads and the changes of a thread fall")
  func nothingIsLost() async {
    let observed = ObservedStore(store)
    startThread { [store] in for number in 1...1000 { store.dispatch(PageIntent.left(number)) } }
    var left = 0
    while left < 1000 {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          left = observed.left
        } onChange: {
          continuation.resume()
        }
        if left == 1000 { observed.dispatch(PageIntent.left(1001)) }
      }
    }
    #expect(observed.left == 1001)
  }

  @Test("a notified observer may read more properties and dispatch")
  func usedWhenTold() {
    let observed = ObservedStore(store)
    withObservationTracking {
      _ = observed.left
    } onChange: { [told] in
      MainActor.assumeIsolated {
        told.write("left, right is \(observed.right)")
        observed.dispatch(PageIntent.right(5))
        told.write("right is \(observed.right)")
      }
    }
    observed.dispatch(PageIntent.left(1))
    #expect(told.lines == ["left, right is 0", "right is 5"])
  }

  @Test("only the first read of a property subscribes to it")
  func lazySubscriptions() {
    let observed = ObservedStore(store)
    _ = observed.left
    store.dispatch(PageIntent.left(1))
    #expect(comparisons.value == 0)

    for _ in 0..<3 { _ = observed.counted }
    comparisons.value = 0
    store.dispatch(PageIntent.right(1))
    #expect(comparisons.value == 1)
  }

  @Test("a property that is not read again after it notified has no subscription")
  func letGo() {
    let observed = ObservedStore(store)
    track { _ = observed.counted }
    observed.dispatch(PageIntent.counted(1))
    #expect(told.lines == ["told"])
    comparisons.value = 0
    observed.dispatch(PageIntent.counted(2))
    #expect(comparisons.value == 0)
    track { _ = observed.counted }
    observed.dispatch(PageIntent.counted(3))
    #expect(told.lines == ["told", "told"])
  }

  @Test("an element is observed as the collection that it belongs to, and may go")
  func elements() {
    let observed = ObservedStore(
      Store(state: [1, 2, 3]) { (state, intent: PageIntent) -> [any Effect] in
        if case .left(let number) = intent { state[0] = number }
        if case .right(let count) = intent { state = Array(state.prefix(count)) }
        return []
      })
    track { _ = observed[2] }
    observed.dispatch(PageIntent.left(1))
    #expect(told.lines == [])
    observed.dispatch(PageIntent.left(5))
    #expect(told.lines == ["told"])
    track { _ = (observed[2], observed[1..<2], observed.last, observed[dynamicMember: \.last!]) }
    observed.dispatch(PageIntent.right(0))
    #expect(told.lines == ["told", "told"])
    #expect(observed.state == [])
  }

  @Test("a computed property is observed as the state, and evaluated for readers alone")
  func computed() {
    let observed = ObservedStore(store)
    track { #expect(observed.user.isOld == false) }
    track("row") { #expect(observed[row: 0] == 0) }
    observed.dispatch(PageIntent.rows([]))
    #expect(told.lines == ["row"])
    observed.dispatch(PageIntent.rows([1, 2]))
    track("rows") { #expect(observed[row: 1] == 2) }
    observed.dispatch(PageIntent.rows([3, 4]))
    #expect(told.lines == ["row", "rows"])
  }

  @Test("however many elements are read, one subscription observes them")
  func manyElements() {
    struct Numbers: Sendable, Equatable {
      var list = Array(0..<100_000)
      let comparisons: Shared<Int>
      subscript(position: Int) -> Int { list[position] }
      static func == (a: Numbers, b: Numbers) -> Bool {
        a.comparisons.change { $0 += 1 }
        return a.list == b.list
      }
    }
    let observed = ObservedStore(
      Store(state: Numbers(comparisons: comparisons)) { (state, intent: PageIntent) in
        state.list.removeLast()
        return []
      })
    for position in 0..<100_000 { _ = observed[position] }
    comparisons.value = 0
    observed.dispatch(PageIntent.left(1))
    #expect(comparisons.value == 1)
  }

  @Test("it keeps its store alive, and its end is that of its subscriptions")
  func lifetime() {
    var store: Store? = Store(state: Page(counted: Counted(comparisons)), reducer: page)
    let weakStore = Weak(object: store)
    var observed = store.map { ObservedStore($0) }
    let weakObserved = Weak(object: observed)
    track { _ = (observed?.counted, observed?.state, observed?.unequatable) }
    store?.dispatch(PageIntent.left(1))

    store = nil
    #expect(weakStore.object != nil)
    store = weakStore.object
    observed = nil
    #expect(weakObserved.object == nil)
    comparisons.value = 0
    store?.dispatch(PageIntent.left(2))
    #expect(comparisons.value == 0)

    store = nil
    #expect(weakStore.object == nil)
  }

  @Test("it may be released on any thread, with a change still to be reported")
  func releasedElsewhere() async {
    var observed: ObservedStore? = ObservedStore(store)
    let weakObserved = Weak(object: observed)
    let isTold = Signal()
    withObservationTracking {
      _ = observed?.left
    } onChange: {
      isTold.send()
    }
    store.dispatch(PageIntent.left(1))
    let last = Shared(observed)
    observed = nil
    await onThread { last.value = nil }
    #expect(weakObserved.object == nil)
    await isTold.wait()
  }
}

private struct Page: Sendable {
  var left = 0
  var right = 0
  var user = User()
  var counted = Counted(Shared(0))
  var rows = [0]
  let unequatable = Counter()

  subscript(row row: Int) -> Int { rows[row] }
}

/// Lets a test see how often it is compared.
private struct Counted: Sendable, Equatable {
  var value = 0
  let comparisons: Shared<Int>

  init(_ comparisons: Shared<Int>) { self.comparisons = comparisons }

  static func == (a: Counted, b: Counted) -> Bool {
    a.comparisons.change { $0 += 1 }
    return a.value == b.value
  }
}

private struct User: Sendable, Equatable {
  var name = ""
  var age = 0
  var isOld: Bool { age > 80 }
}

private enum PageIntent: Intent {
  case left(Int)
  case right(Int)
  case user(User)
  case counted(Int)
  case rows([Int])
}

private func page(state: inout Page, intent: PageIntent) -> [any Effect] {
  switch intent {
  case .left(let number): state.left = number
  case .right(let number): state.right = number
  case .user(let user): state.user = user
  case .counted(let number): state.counted.value = number
  case .rows(let rows): state.rows = rows
  }
  return []
}
