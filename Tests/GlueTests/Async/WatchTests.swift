import Dispatch
import Glue
import GlueTesting
import Observation
import ProcessSupport
import Testing

@Suite("What waits at two looks in succession is a problem", .tags(.threads))
struct WatchTests {
  private let problems = Transcript<Problem>()

  /// A store at which only the tests look, unless there is an interval, and for which no time passes.
  private func store(
    _ delivery: Delivery = .immediate, interval: Double? = nil,
    report: @escaping @Sendable (Problem) -> Void = { _ in }
  ) -> Store<[String]> {
    RealTime.current.withValue(RealTime(interval: interval) { .zero }) {
      Store(
        state: [], reducer: working, delivery: delivery,
        report: { [problems] in
          problems.write($0)
          report($0)
        })
    }
  }

  /// The places of deliveries that have waited, and the other problems.
  private var found: [String] {
    problems.lines.map { problem in
      if case .stalledDelivery(let place, _) = problem { place } else { "\(problem)" }
    }
  }

  // MARK: - Deliveries that don't begin

  @Test("a custom loop that runs no body")
  func pausedLoop() {
    let pump = Pump()
    let store = store(pump.delivery)
    store.onQuickWork { _, _ in }
    store.emit(QuickWork(name: "a"))
    store.look()
    #expect(found == [])
    store.look()
    #expect(found == ["the loop of Delivery.custom"])
    store.look()
    #expect(found.count == 1)
    pump.run()
  }

  @Test("no loop that has run a body between two looks, or has none to run")
  func slowLoop() {
    let pump = Pump()
    let store = store(pump.delivery)
    store.onQuickWork { _, _ in }
    store.emit(QuickWork(name: "a"))
    for _ in 0..<3 {
      store.look()
      let body = pump.next()
      store.emit(QuickWork(name: "b"))
      body?()
    }
    pump.run()
    for _ in 0..<3 { store.look() }
    #expect(found == [])
  }

  @Test("a queue that is suspended, by its label")
  func suspendedQueue() async {
    let queue = DispatchQueue(label: "suspended")
    let store = store(.queue(queue))
    store.onQuickWork { _, _ in }
    queue.suspend()
    store.emit(QuickWork(name: "a"))
    for _ in 0..<2 { store.look() }
    #expect(found == ["the queue \"suspended\""])
    queue.resume()
    await store.delivered()
  }

  @Test("the main queue and the main actor, while the main thread is blocked")
  func blockedMainThread() async {
    let mayContinue = Gate()
    DispatchQueue.main.async { mayContinue.pass() }
    let posting = store(.queue(.main))
    posting.onQuickWork { _, _ in }
    posting.emit(QuickWork(name: "a"))
    for _ in 0..<2 { posting.look() }
    #expect(found == ["the main queue"])
    let moving = store()
    let subscription = moving.subscribe(selector: \.count) { @MainActor _ in }
    for _ in 0..<2 { moving.look() }
    #expect(found == ["the main queue", "the main actor"])
    #if os(Linux)
      #expect(problems.lines.allSatisfy { "\($0)".contains("call MainQueue.run()") })
    #endif
    mayContinue.open()
    await posting.delivered()
    await moving.delivered()
    for _ in 0..<3 { moving.look() }
    #expect(found.count == 2)
    subscription.cancel()
  }

  @Test("a notice to observers, while the main actor is busy")
  @MainActor func unnotifiedObservers() async {
    let store = store()
    let observed = ObservedStore(store)
    for isBusy in [false, true] {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = observed.count
        } onChange: {
          continuation.resume()
        }
        elsewhere { store.dispatch(WorkIntent.note("a")) }
        store.look()
        #expect(found == [])
        if isBusy { store.look() }
        #expect(found == (isBusy ? ["the main actor"] : []))
      }
    }
    for _ in 0..<3 { store.look() }
    #expect(found.count == 1)
  }

  // MARK: - Calls that don't return

  @Test("a handler that doesn't return is no delivery that hasn't begun, and found in debug builds")
  func endlessHandler() async {
    let queue = DispatchQueue(label: "busy")
    for delivery in [Delivery.immediate, .queue(queue)] {
      let (isCalled, mayReturn) = (Signal(), Gate())
      let problems = Transcript<Problem>()
      let store = store(delivery, report: { problems.write($0) })
      store.onQuickWork { name, _ in
        if name == "a" { return }
        isCalled.send()
        mayReturn.pass()
      }
      store.emit(QuickWork(name: "a"))
      startThread { store.emit(QuickWork(name: "b"), QuickWork(name: "a")) }
      await isCalled.wait()
      store.look()
      #expect(problems.lines == [])
      store.look()
      #if DEBUG
        #expect(problems.lines == [.slowDelivery(type: "QuickWork")])
      #else
        #expect(problems.lines == [])
      #endif
      mayReturn.open()
      await store.delivered()
    }
  }

  // MARK: - Effects that wait

  /// Work that ignores its cancellation until a signal.
  private func ignoringCancellation(_ store: Store<[String]>, until mayEnd: Signal) -> Signal {
    let isCancelled = Signal()
    store.onWork { name, _ in
      if name != "uncooperative" { return }
      await withTaskCancellationHandler {
        await Task.detached { await mayEnd.wait() }.value
      } onCancel: {
        isCancelled.send()
      }
    }
    return isCancelled
  }

  @Test("an effect that waits for a canceled one, if it is the same at both looks")
  func heldUpEffect() async {
    let (store, mayEnd) = (store(), Signal())
    _ = ignoringCancellation(store, until: mayEnd)
    store.emit(Work(name: "uncooperative").scheduled(.restarting, id: 1))
    for number in 0..<512 {
      store.emit(Work(name: "\(number)").scheduled(.restarting, id: 1))
      store.look()
    }
    #expect(problems.lines == [])
    store.look()
    #expect(problems.lines == [.heldUpEffect(type: "Work")])
    mayEnd.send()
    await store.settled()
  }

  @Test("a shutdown that waits for an effect which ignores its cancellation, unless it has a limit")
  func heldUpShutdown() async {
    for isLimited in [true, false] {
      let (store, mayEnd) = (store(), Signal())
      let isCancelled = ignoringCancellation(store, until: mayEnd)
      store.emit(Work(name: "uncooperative"))
      let end = Task {
        if !isLimited { return await store.shutdown() }
        await store.shutdown(finishing: .zero, within: .seconds(86_400))
      }
      await isCancelled.wait()
      for _ in 0..<2 { store.look() }
      #expect(problems.lines == (isLimited ? [] : [.heldUpShutdown(type: "Work")]))
      mayEnd.send()
      await end.value
    }
  }

  // MARK: - The looks

  @Test("the store looks on its own while something waits")
  func timer() async {
    let (pump, isReported) = (Pump(), Signal())
    let store = store(pump.delivery, interval: 0.001, report: { _ in isReported.send() })
    store.onQuickWork { _, _ in }
    store.emit(QuickWork(name: "a"))
    await isReported.wait()
    #expect(found == ["the loop of Delivery.custom"])
    pump.run()
  }

  /// In optimized builds only the call begins the looks.
  @Test("and while a call waits for the main actor")
  func timerOfMainActor() async {
    let (mayContinue, isReported) = (Gate(), Signal())
    DispatchQueue.main.async { mayContinue.pass() }
    let store = store(interval: 0.001, report: { _ in isReported.send() })
    let subscription = store.subscribe(selector: \.count) { @MainActor _ in }
    await isReported.wait()
    #expect(found == ["the main actor"])
    mayContinue.open()
    await store.delivered()
    subscription.cancel()
  }

  @Test("a look that is to come doesn't keep its store")
  func lifetime() {
    weak var gone: Store<[String]>?
    do {
      let store = store(interval: 1_000_000)
      gone = store
      store.onQuickWork { _, _ in }
      store.emit(QuickWork(name: "a"))
    }
    #expect(gone == nil)
  }
}
