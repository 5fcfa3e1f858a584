internal import Synchronization

/// A scheduled effect's place in the outbox.
///
/// One that is released before its turn, with the posted body that was to make the delivery, has
/// lost it.
final class PlaceInQueue: Turn {
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

  var unlistedEffect: (any Effect)? { nil }

  func take() {
    hadTurn.store(true, ordering: .releasing)
    runner.takeTurn(run)
  }
}

/// The turn of an effect without a policy.
struct UnscheduledRun: Turn {
  let run: Run
  let runner: EffectRunner

  var unlistedEffect: (any Effect)? { run.effect }

  func take() { runner.deliver(run) }
}
