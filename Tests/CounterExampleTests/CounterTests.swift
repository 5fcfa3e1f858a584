import Testing

@testable import CounterExample

@Suite struct CounterTests {
  @Test func `a decrement at 0 changes nothing`() {
    var state = AppState()
    #expect(reducer(state: &state, intent: .decrement).isEmpty)
    #expect(state.value == 0)
  }

  @Test func `a decrement takes 1 away and plays nothing, not even at a multiple of 5`() {
    var state = AppState(value: 6)
    #expect(reducer(state: &state, intent: .decrement).isEmpty)
    #expect(state.value == 5)
  }

  @Test func `an increment adds 1`() {
    var state = AppState()
    _ = reducer(state: &state, intent: .increment)
    #expect(state.value == 1)
  }

  @Test(arguments: 1...25)
  func `an increment plays the sound if it reaches a multiple of 5`(value: Int) {
    var state = AppState(value: value - 1)
    let effects = reducer(state: &state, intent: .increment)
    #expect(effects == (value.isMultiple(of: 5) ? [.playSound] : []))
  }
}
