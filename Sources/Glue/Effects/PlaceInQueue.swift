internal import Synchronization

/// A scheduled effect's place in the outbox.
///
/// One that is released before its turn, with the posted body that was to make the delivery, has
/// lost it.
@usableFromInline
final class PlaceInQueue: Sendable {
  private let run: Run
  private let runner: EffectRunner
  private let hadTurn = Atomic(false)

  init(of run: Run, in runner: EffectRunner) {
    self.run = run
    self.runner = runner
  }

  deinit {
    if !hadTurn.load(ordering: .acquiring) { runner.lostTurn(of: run) }
  }

  func takeTurn() {
    hadTurn.store(true, ordering: .releasing)
    runner.takeTurn(run)
  }
}

/// An effect without a policy, on its way to its handlers.
@usableFromInline
struct UnscheduledRun: Sendable {
  let run: Run
  let runner: EffectRunner
}
