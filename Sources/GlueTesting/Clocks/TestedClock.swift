internal import Glue

/// A clock whose test runs the tasks of its stores.
protocol TestedClock: OwnedClock {
  var ownExecutor: TestExecutor { get }
}

extension TestedClock {
  package var executor: any TaskExecutor { ownExecutor }

  package func note(_ effect: any Effect) { ownExecutor.note(effect) }

  package func noteEnd() { ownExecutor.noteEnd() }

  package nonisolated(nonsending) func wait(
    for completion: Completion, of call: String, unended: () -> [EffectInFlight]
  ) async {
    await ownExecutor.wait(for: completion, of: call, unended: unended)
  }
}
