// This room finds mistakes that would go unnoticed. Finders that look at effects or at a whole store
// stand beside them, in EffectChecks.swift and StoreChecks.swift. The pipeline calls each finder in
// one place, and none does anything in a store without a report.

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
