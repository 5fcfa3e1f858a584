// This room finds mistakes that would go unnoticed. The pipeline calls each finder in one place, and
// none does anything in a store without a report.

/// Finds a store's problems, and reports each once; a store that reports none has no such object.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables.
@usableFromInline
final class Checks: @unchecked Sendable {
  /// Finds what waits for too long; nil on a test clock, which doesn't advance alone.
  let watch: Watch?

  private let report: @Sendable (Problem) -> Void
  private var reported: [Problem] = []

  init(watch: Watch?, report: @escaping @Sendable (Problem) -> Void) {
    (self.watch, self.report) = (watch, report)
  }

  /// A deferred report of a problem, unless it was reported before.
  func reporting(_ problem: Problem) -> Deferred.Action? {
    let kind = problem.withoutCure
    if reported.contains(kind) { return nil }
    reported.append(kind)
    return .call { [report] in report(problem) }
  }
}

extension EffectEngine {
  /// Reports a problem after unlocking.
  @usableFromInline
  mutating func report(_ problem: Problem) {
    if let report = checks?.reporting(problem) { deferred.actions.append(report) }
  }
}

extension Store {
  /// Reports a problem, if problems are looked for.
  @usableFromInline
  func report(_ problem: Problem) {
    change { core, _ in core.runtime.effects.report(problem) }
  }

  /// Looks from now on for problems, to report them.
  ///
  /// Nothing waits for too long on an owned clock, which doesn't advance alone.
  @usableFromInline
  func look(report: @escaping @Sendable (Problem) -> Void) {
    let watch = timer.executor == nil ? Watch { [weak self] in self?.look() } : nil
    core.withLock { core in
      core.runtime.effects.checks = Checks(watch: watch, report: report)
      guard let watch else { return }
      core.runtime.outbox.use().checks.watch(by: watch, reportingTo: self)
    }
  }
}
