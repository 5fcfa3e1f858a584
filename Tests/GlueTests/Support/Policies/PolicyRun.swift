import Glue
import GlueTesting
import Testing

/// A store and the model of its policies, to which the same happens.
final class PolicyRun {
  let store: Store<[String]>
  private(set) var model: PolicyModel
  private let clock = TestClock()
  private let transcript = Transcript<TimedLine>()
  private let pump: Pump?

  /// - Parameter isImmediate: whether turns come at once, not only in `deliver()`.
  init(isImmediate: Bool) {
    let pump = isImmediate ? nil : Pump()
    self.pump = pump
    model = PolicyModel(isImmediate: isImmediate)
    store = Store(delivery: pump?.delivery ?? .immediate, clock: clock)
    store.record(in: transcript, on: clock, unit: .step)
  }

  /// Emits works, and before each the cancellation of ids, in one commit.
  func emit(_ works: [PolicyModel.Work], cancelling ids: [Int] = []) async {
    for id in ids { model.cancel(id: id) }
    for work in works { model.emit(work) }
    if pump == nil { model.deliver() }
    let effects: [any Effect] = ids.map { CancelEffects(id: $0) } + works.map(\.effect)
    await asJob { [store] in store.dispatch(WorkIntent.emit(effects)) }
    model.rest()
  }

  func advance(by steps: Int) async {
    model.advance(to: model.now + steps)
    await clock.advance(by: .step * steps)
  }

  /// Makes the deliveries, where they do not come at once.
  func deliver() async {
    guard let pump else { return }
    model.deliver()
    await asJob { pump.run() }
  }

  /// Does something while no task runs, then lets them run.
  private func asJob(_ body: @escaping @Sendable () -> Void) async {
    await Task(executorPreference: clock.executor) { body() }.value
    await clock.rest()
  }

  /// Lets all that waits and runs end.
  func finish() async {
    while true {
      await deliver()
      if model.isIdle { break }
      await advance(by: 1_000_000)
    }
    await store.settled()
  }

  /// The difference, if any.
  func difference() -> String? {
    let lines = transcript.lines.sorted()
    let expected = model.lines.sorted()
    let notes = store.state.filter { !$0.hasPrefix("canceled") }
    if lines == expected && store.state == model.notes { return nil }
    return "\(lines) \(notes), expected \(expected) \(model.notes)"
  }
}

extension PolicyModel.Work {
  fileprivate var effect: ScheduledEffect {
    let effect: any Effect =
      if let duration { GlueTests.Work(name: name, duration: .step * duration) } else {
        QuickWork(name: name)
      }
    return effect.scheduled(policy, id: id)
  }
}
