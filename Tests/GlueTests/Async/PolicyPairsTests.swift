import Glue
import GlueTesting
import Testing

/// For each ordered pair of policies and each state of the first effect: what becomes of both.
///
/// A wait is 10 steps, each effect runs for 100, and the second is emitted 5 steps after the first,
/// unless that is queued: then at once.
@Suite("A second effect's consequences for a first one of the same id")
struct PolicyPairsTests {
  enum State: CaseIterable { case queued, waiting, running }

  struct Pair: CustomTestStringConvertible {
    let first: EffectPolicy
    let second: EffectPolicy
    let state: State

    var testDescription: String { "\(first), then \(second), \(state)" }
  }

  private static let policies: [EffectPolicy] = [
    .latest, .restarting, .leading, .sequential, .concurrent, .debounce(.step * 10),
    .throttle(.step * 10), .delay(.step * 10),
  ]

  static let pairs: [Pair] = State.allCases.flatMap { state in
    policies.flatMap { first in
      policies.map { Pair(first: first, second: $0, state: state) }
    }
  }
  .filter { $0.state != .waiting || $0.first.waits }

  @Test("as the table says, and as the model does", arguments: pairs)
  func pair(_ pair: Pair) async {
    let run = PolicyRun(isImmediate: pair.state != .queued)
    await run.prepare(for: pair)
    await run.emit([PolicyModel.Work(name: "1", id: 1, policy: pair.first, duration: 100)])
    if pair.state == .running && pair.first.isTimed { await run.advance(by: 10) }
    if pair.state != .queued { await run.advance(by: 5) }
    await run.emit([PolicyModel.Work(name: "2", id: 1, policy: pair.second, duration: 100)])
    await run.finish()

    #expect(run.difference() == nil)
    #expect(run.store.state.filter { $0 != "0" } == pair.expected)
  }

  @Test("canceling ends the first one and closes the window, in each state", arguments: pairs)
  func cancel(_ pair: Pair) async {
    let run = PolicyRun(isImmediate: pair.state != .queued)
    await run.prepare(for: pair)
    await run.emit([PolicyModel.Work(name: "1", id: 1, policy: pair.first, duration: 100)])
    if pair.state == .running && pair.first.isTimed { await run.advance(by: 10) }
    if pair.state != .queued { await run.advance(by: 5) }
    await run.emit([], cancelling: [1])
    await run.emit([PolicyModel.Work(name: "2", id: 1, policy: pair.second, duration: 100)])
    await run.finish()

    #expect(run.difference() == nil)
    #expect(run.store.state == ["2"])
  }
}

extension PolicyRun {
  /// Lets the first effect wait, if it is to wait for another one.
  fileprivate func prepare(for pair: PolicyPairsTests.Pair) async {
    if pair.state != .waiting || pair.first.isTimed { return }
    await emit([PolicyModel.Work(name: "0", id: 1, policy: pair.first, duration: 100)])
  }
}

extension EffectPolicy {
  /// Whether it waits for its time before it starts.
  fileprivate var isTimed: Bool {
    switch self {
    case .debounce, .delay: true
    case .latest, .restarting, .leading, .sequential, .concurrent, .throttle: false
    }
  }

  fileprivate var waits: Bool {
    switch self {
    case .latest, .restarting, .leading, .concurrent: false
    case .sequential, .debounce, .throttle, .delay: true
    }
  }
}

extension PolicyPairsTests.Pair {
  /// Which of the two end, in this order.
  ///
  /// A throttled effect that waits is held, no member: it keeps no other from starting.
  fileprivate var expected: [String] {
    let isHeld = if case .throttle = first { state == .waiting } else { false }
    switch second {
    case .latest, .restarting, .debounce: return ["2"]
    case .leading: return ["1"]
    case .sequential: return ["1", "2"]
    case .concurrent: return startsLater || isHeld ? ["2", "1"] : ["1", "2"]
    case .throttle:
      if isHeld { return ["2"] }
      if case .throttle = first { return ["1", "2"] }
      return startsLater ? ["2", "1"] : ["1", "2"]
    case .delay:
      if case .sequential = first, state == .waiting { return ["2", "1"] }
      return ["1", "2"]
    }
  }

  /// Whether the first one starts after the second one, which does not wait.
  private var startsLater: Bool {
    switch first {
    case .debounce, .delay: state != .running
    case .sequential: state == .waiting
    case .latest, .restarting, .leading, .concurrent, .throttle: false
    }
  }
}
