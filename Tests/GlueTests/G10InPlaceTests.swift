import Glue
import ProcessSupport
import Testing

/// Asserted on the identity of the array's buffer, not on time.
@Suite("G10: the state is changed in place", .unwatched)
struct G10InPlaceTests {
  struct Big: Sendable {
    var numbers = [Int](repeating: 0, count: 1_000_000)
    var buffers: [UInt] = []

    mutating func change() {
      numbers[numbers.count / 2] += 1
      buffers.append(numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
    }
  }

  struct Change: Intent {}
  struct Changed: Effect {}

  private func expectInPlace(
    _ store: Store<Big>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for _ in 0..<10 { store.dispatch(Change()) }
    let buffers = store.state.buffers
    #expect(buffers.count == 10, sourceLocation: sourceLocation)
    #expect(Set(buffers).count == 1, sourceLocation: sourceLocation)
  }

  @Test("by an erased and by typed reducers")
  func reducers() {
    expectInPlace(
      Store(state: Big()) { state, _ in
        state.change()
        return []
      })
    expectInPlace(
      Store(state: Big()) { (state, _: Change) in
        state.change()
        return []
      })
    expectInPlace(
      Store(state: Big()) { (state, _: Change) -> [Changed] in
        state.change()
        return [Changed()]
      })
  }

  @Test("with handlers, and with subscribers that select small values")
  func withListeners() {
    let store = Store(state: Big()) { (state, _: Change) in
      state.change()
      return [Changed()]
    }
    store.on(Changed.self) { _, _ in }
    let subscriptions = [
      store.subscribe(selector: { $0.numbers[500_000] }, handler: { _ in }),
      store.subscribe(selector: \.numbers.count, handler: { _ in }),
    ]
    expectInPlace(store)
    withExtendedLifetime(subscriptions) {}
  }

  @Test("with pending deliveries")
  func withABacklog() {
    let pump = Pump()
    let store = Store(
      state: Big(),
      reducer: { (state: inout Big, _: Change) in
        state.change()
        return [Changed()]
      }, delivery: pump.delivery)
    store.on(Changed.self) { _, _ in }
    expectInPlace(store)
  }

  @Test("a copy that a user keeps costs one copy, at the next change")
  func withACopy() {
    let store = Store(state: Big()) { (state, _: Change) in
      state.change()
      return []
    }
    store.dispatch(Change())
    let kept = store.state
    store.dispatch(Change())
    store.dispatch(Change())

    let buffers = store.state.buffers
    #expect(buffers[0] != buffers[1])
    #expect(buffers[1] == buffers[2])
    #expect(kept.numbers[500_000] == 1)
  }
}
