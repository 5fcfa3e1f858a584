import Testing

@testable import CounterExample

@Suite struct CounterTests {
  @Test("a decrement at 0 changes nothing")
  func aDecrementAt0() {
    var state = AppState()
    #expect(reducer(state: &state, intent: .decrement).isEmpty)
    #expect(state.value == 0)
  }

  @Test("a decrement takes 1 away and plays nothing, not even at a multiple of 5")
  func aDecrementTakes1() {
    var state = AppState(value: 6)
    #expect(reducer(state: &state, intent: .decrement).isEmpty)
    #expect(state.value == 5)
  }

  @Test("an increment adds 1")
  func anIncrementAdds1() {
    var state = AppState()
    _ = reducer(state: &state, intent: .increment)
    #expect(state.value == 1)
  }

  @Test("an increment plays the sound if it reaches a multiple of 5", arguments: 1...25)
  func anIncrementPlaysThe(value: Int) {
    var state = AppState(value: value - 1)
    let effects = reducer(state: &state, intent: .increment)
    #expect(effects == (value.isMultiple(of: 5) ? [.playSound] : []))
  }
}
