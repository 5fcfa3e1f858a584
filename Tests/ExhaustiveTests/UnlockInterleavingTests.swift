import Testing

/// The library's own sources, with a lock at each of whose releases another thread may continue: so
/// calls interleave between their critical sections too.
@Suite("G1 to G5, G8, G12: wherever a lock is released", .serialized)
struct UnlockInterleavingTests {
  static let pairs: [[[UnlockRun.Action]]] = [
    [[.dispatch, .dispatch], [.dispatch, .dispatch]],
    [[.chain], [.dispatch, .chain]],
    [[.dispatch, .subscribe], [.dispatch, .dispatch]],
    [[.subscribe, .cancel], [.chain, .dispatch]],
    [[.add, .dispatch], [.dispatch, .subscribe]],
    [[.subscribe, .dispatch, .cancel], [.add, .dispatch]],
  ]

  @Test("two threads get everything once, in order, and never nested", arguments: pairs)
  func two(programs: [[UnlockRun.Action]]) {
    let (fault, orders) = explore(programs, limit: 1000, switches: 3)
    #expect(fault == nil)
    #expect(orders > 100)
  }

  @Test("and so do two that one delivery at most may hold up", arguments: pairs)
  func handingOver(programs: [[UnlockRun.Action]]) {
    let (fault, orders) = explore(programs, limit: 1, switches: 2)
    #expect(fault == nil)
    #expect(orders > 100)
  }

  @Test("and so do three")
  func three() {
    let (fault, orders) = explore(
      [[.dispatch], [.chain], [.subscribe]], limit: 1, switches: 2)
    #expect(fault == nil)
    #expect(orders > 1000)
  }

  /// The first fault, and how many orders there are.
  private func explore(
    _ programs: [[UnlockRun.Action]], limit: Int, switches: Int
  ) -> (String?, Int) {
    let choices = Choices()
    var orders = 0
    while choices.begin() {
      orders += 1
      let run = UnlockRun(programs, limit: limit, choices, switches: switches)
      run.run()
      if let fault = run.fault { return ("\(choices.choices): \(fault)", orders) }
    }
    return (nil, orders)
  }
}
