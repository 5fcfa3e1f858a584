import Glue
import ProcessSupport
import Testing

/// After each suspension an `async` function may continue on another thread.
///
/// An identity of its thread that it kept would then be another thread's, which may hold the
/// store's lock or deliver.
@Suite(
  "Callers that suspend between their calls are never taken for another thread", .tags(.threads))
struct SuspendingCallersTests {
  @Test("an optimized function asks again which thread it is on")
  func identity() async {
    let threads = ThreadPerJob()
    await Task(executorPreference: threads) {
      let before = currentThread()
      #expect(before == currentThread())
      for _ in 0..<100 where before == currentThread() { await Task.yield() }
      #expect(before != currentThread(), "a yield need not suspend, but of a hundred one does")
    }.value
    threads.end()
  }

  /// Each call is made before and after a suspension, while effects, whose tasks hold the lock and
  /// deliver on the same few threads, dispatch all the time.
  @Test("while effects dispatch", arguments: Call.allCases)
  func whileEffectsDispatch(call: Call) async {
    let store = Store(state: 0, reducer: counting)
    store.on(Burst.self) { _, dispatch async in
      for _ in 0..<300 { dispatch(Count.one) }
    }
    for _ in 1...5 {
      for turn in 0..<500 {
        if turn % 5 == 0 { store.dispatch(Count.burst) }
        await call.make(store)
        await Task.yield()
        await call.make(store)
      }
      await store.settled()
    }
    let ones = 5 * 100 * 300 + (call.counts ? 5 * 500 * 2 : 0)
    #expect(store.state == ones)
  }

  enum Call: CaseIterable {
    case dispatch, state, subscribe, add, perform, settled

    var counts: Bool { self == .dispatch || self == .perform }

    func make(_ store: Store<Int>) async {
      switch self {
      case .dispatch: store.dispatch(Count.one)
      case .state: _ = store.state
      case .subscribe: store.subscribe { _ in }.cancel()
      case .add: if store.state < 1000 { store.on(CounterEffect.self) { _, _ in } }
      case .perform: await store.perform(Count.one)
      case .settled: await store.settled()
      }
    }
  }
}

private enum Count: Intent { case one, burst }

private struct Burst: Effect {}

private func counting(count: inout Int, intent: Count) -> [any Effect] {
  switch intent {
  case .one:
    count += 1
    return []
  case .burst: return [Burst()]
  }
}

/// Runs each job on a thread of its own; none of them ends before all do, so that each is another.
private final class ThreadPerJob: TaskExecutor {
  private let isOver = Gate()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    startThread { [isOver, executor = asUnownedTaskExecutor()] in
      job.runSynchronously(on: executor)
      isOver.pass()
    }
  }

  func end() { isOver.open() }
}
