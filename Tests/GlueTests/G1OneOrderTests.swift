import Glue
import ProcessSupport
import Testing

@Suite("G1: intents are reduced one at a time, in one order", .tags(.threads))
struct G1OneOrderTests {
  /// A count for each of four threads, and one that only an exclusive reducer keeps right.
  struct Tally: Sendable {
    var perThread = SIMD4<Int>()
    var total = 0
  }

  struct Count: Intent { var thread: Int }

  @Test("nothing is lost of 4 threads × 250,000 dispatches, and each thread reads its own writes")
  func nothingIsLost() async {
    let store = Store(state: Tally()) { (state, intent: Count) in
      state.perThread[intent.thread] += 1
      state.total += 1
      return []
    }

    let unread = await onThread { dispatchFromFourThreads(store) }

    #expect(store.state.perThread == SIMD4(repeating: 250_000))
    #expect(store.state.total == 1_000_000)
    #expect(unread == 0)
  }

  @Test("all subscribers see the same order, and each thread's own intents in its order")
  func sameOrder() async {
    let store = Store(state: [Count]()) { (state, intent: Count) in
      state.append(intent)
      return []
    }
    let seen = [Transcript<Int>(), Transcript<Int>()]
    let delivered = Signal()
    let subscriptions = seen.map { transcript in
      store.subscribe(selector: { $0.last?.thread }) { (last: Int?) in
        if let last { transcript.write(last) }
      }
    }
    let counting = store.subscribe(selector: \.count) { if $0 == 400 { delivered.send() } }

    await onThread {
      onThreads(4) { thread in
        for number in 0..<100 { store.dispatch(Count(thread: thread * 1000 + number)) }
      }
    }
    await delivered.wait()

    let order = store.state.map(\.thread)
    #expect(seen.map(\.lines) == [order, order])
    for thread in 0..<4 {
      #expect(order.filter { $0 / 1000 == thread } == (0..<100).map { thread * 1000 + $0 })
    }
    withExtendedLifetime((subscriptions, counting)) {}
  }
}

/// Dispatches from four threads; returns how often one did not read its own write (G2).
private func dispatchFromFourThreads(_ store: Store<G1OneOrderTests.Tally>) -> Int {
  let unread = Shared(0)
  onThreads(4) { thread in
    var missed = 0
    for number in 1...250_000 {
      store.dispatch(G1OneOrderTests.Count(thread: thread))
      if store.state.perThread[thread] != number { missed += 1 }
    }
    unread.change { [missed] in $0 += missed }
  }
  return unread.value
}
