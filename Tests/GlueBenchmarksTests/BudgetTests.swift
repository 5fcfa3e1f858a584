import Testing

@testable import BenchmarkSuite

@Suite struct BudgetTests {
  @Test("a ratio is the median of the rounds' ratios, so that a drift cancels")
  func aRatioIsThe() {
    let figure = Bound.times(1, of: "floor").figure(of: [20, 200, 60], against: [10, 100, 20])
    #expect(figure == 2)
  }

  @Test("a difference is divided by the count it covers")
  func aDifferenceIsDivided() {
    let bound = Bound.nanoseconds(6, over: "none", each: 10)
    #expect(bound.figure(of: [90, 70, 80], against: [30, 30, 30]) == 5)
  }

  @Test("a limit may be reached, but not exceeded", arguments: [(150.0, true), (151, false)])
  func aLimitMayBe(time: Double, isMet: Bool) throws {
    let verdict = try verdict(time: time, allocations: 0)
    #expect(verdict.isMet == isMet)
    #expect(verdict.figure == time / 100)
  }

  @Test("nanoseconds are scaled to a machine whose floor takes 29")
  func nanosecondsAreThoseOf() {
    let floor = Measurement(subject: idleSubject("floor"), samples: [58])
    let bound = Bound.nanoseconds(60, over: "none")
    #expect(bound.limit(among: ["floor": floor]) == 120)
    #expect(bound.limit(among: ["floor": floor, "dispatch floor": floor]) == 120)
    #expect(Bound.times(1.5, of: "floor").limit(among: ["floor": floor]) == 1.5)
  }

  @Test(
    "a figure without a baseline has a limit of its own", arguments: [(25.0, true), (26, false)])
  func whatIsComparedWith(count: Double, isMet: Bool) {
    let measurement = Measurement(subject: idleSubject("it"), samples: [9, count, 90])
    let verdict = Budget(path: "group/it", bound: .atMost(25, .switches))
      .verdict(on: measurement, among: ["it": measurement])
    #expect(verdict.isMet == isMet)
    #expect(verdict.figure == count)
    #expect(verdict.unit == "switches")
  }

  @Test("one allocation in 1,000 operations breaks a limit of none")
  func oneAllocationIn1() throws {
    #expect(try !verdict(time: 100, allocations: 0.001).isMet)
  }

  @Test("if allocations can't be counted, the time alone decides")
  func allocationsThatCannotBe() throws {
    #expect(try verdict(time: 100, allocations: nil).isMet)
    #expect(try !verdict(time: 200, allocations: nil).isMet)
  }

  @Test("every budget belongs to a subject, and its baseline is in the same group")
  func everyBudgetIsOne() {
    for budget in budgets {
      let group = allGroups.first { budget.path.hasPrefix("\($0.name)/") }
      let names = group?.subjects.map(\.name) ?? []
      #expect(names.contains { group?.path($0) == budget.path }, "\(budget.path)")
      if let other = budget.bound?.reference { #expect(names.contains(other), "\(budget.path)") }
    }
  }

  /// Judges a time against a floor of 100 ns, of which it may be 1.5 times.
  private func verdict(time: Double, allocations: Double?) throws -> Verdict {
    let floor = Measurement(subject: idleSubject("floor"), samples: [100])
    let measurement = Measurement(
      subject: idleSubject("it"), samples: [time], allocations: allocations)
    let budget = Budget(path: "group/it", bound: .times(1.5, of: "floor"), allocations: 0)
    return budget.verdict(on: measurement, among: ["floor": floor, "it": measurement])
  }
}

/// A subject that does nothing.
func idleSubject(_ name: String) -> Subject {
  Subject(name: name) { Work(run: { _ in }, isDone: { _ in true }) }
}
