internal import Glue

/// Stands for the journal of an earlier process, for a store that starts with its unfinished effects.
///
/// It records nothing.
final class EarlierLog: CommitLog {
  private let clock: TestClock
  private let start: TestClock.Instant

  /// How long before the store's creation the effects were emitted.
  private let age: Duration

  init(clock: TestClock, age: Duration) { (self.clock, start, self.age) = (clock, clock.now, age) }

  /// The start of a store with effects, as those of commit 0.
  func start(unfinished effects: [any Effect]) -> LogStart {
    let unfinished = effects.enumerated().map { index, effect in
      UnfinishedEffect(effect: effect, cause: .effect(index, ofCommit: 0), emitted: .zero)
    }
    return LogStart(self, after: 0, unfinished: unfinished)
  }

  var now: Duration { age + start.duration(to: clock.now) }
  var mustHappen: (@Sendable (any Effect) -> Bool)? { nil }

  func append(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], of commit: Int,
    over: [Cause], _ state: some Sendable
  ) {}
  func append(over: [Cause]) {}
  func appendEnd(
    with state: some Sendable, after commit: Int, completion: @escaping @Sendable () -> Void
  ) { completion() }
  func writeNext() {}
  func writeAll() {}
  func reportLateEnd() {}
  var unwrittenCount: Int { 0 }
  func end(with state: some Sendable, after commit: Int) {}
}
