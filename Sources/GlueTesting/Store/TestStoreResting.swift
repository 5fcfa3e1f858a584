internal import Glue

extension TestStore {
  /// Returns when all tasks rest; the test fails if they don't.
  nonisolated(nonsending) func rest(in call: String, at place: Place) async {
    fail(for: await clock.ownExecutor.rest(), in: call, at: place)
  }

  /// Runs a body as a job of the clock, and returns when all tasks rest; the test fails if they
  /// don't.
  nonisolated(nonsending) func run(
    in call: String, at place: Place, _ body: @escaping @Sendable () -> Void
  ) async {
    fail(for: await clock.ownExecutor.run(body), in: call, at: place)
    await rest(in: call, at: place)
  }

  /// Fails the test; what is left then doesn't fail it again.
  private func fail(for unrest: Unrest?, in call: String, at place: Place) {
    guard let unrest else { return }
    clock.fail(for: unrest, in: call, at: place)
    excused.formUnion(leftovers.map(\.id))
    ledger.pending.forEach(goOn)
    reported.formUnion(ledger.pending.map(\.number))
  }
}
