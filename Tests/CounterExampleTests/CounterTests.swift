import Testing

@testable import CounterExample

@Suite struct CounterTests {
  @Test("a decrement at 0 changes nothing")
  func aDecrementAt0() {
    var state = Counter()
    #expect(counter(state: &state, intent: .decrement).isEmpty)
    #expect(state.value == 0)
  }

  @Test("a decrement takes 1 away and rings nothing, not even at a multiple of 5")
  func aDecrementTakes1() {
    var state = Counter(value: 6)
    #expect(counter(state: &state, intent: .decrement).isEmpty)
    #expect(state.value == 5)
  }

  @Test("an increment adds 1")
  func anIncrementAdds1() {
    var state = Counter()
    _ = counter(state: &state, intent: .increment)
    #expect(state.value == 1)
  }

  @Test("an increment rings the bell if it reaches a multiple of 5", arguments: 1...25)
  func anIncrementRingsThe(value: Int) {
    var state = Counter(value: value - 1)
    let effects = counter(state: &state, intent: .increment)
    #expect(effects == (value.isMultiple(of: 5) ? [.ring] : []))
  }
}
