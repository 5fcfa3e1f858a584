internal import Synchronization

/// Which effect's task the current one is.
///
/// Tasks that it makes inherit the value, so it names the task that it is about; and it is over
/// with that task, whose place in memory another one may take.
final class EffectTask: Sendable {
  @TaskLocal private static var current: EffectTask?

  private let runner: ObjectIdentifier
  private let task = EffectTask.currentTask
  private let isOver = Atomic(false)

  private static var currentTask: Int { withUnsafeCurrentTask { $0.hashValue } }

  private init(of runner: EffectRunner) {
    self.runner = ObjectIdentifier(runner)
  }

  /// Does the work of an effect in the current task.
  nonisolated(nonsending) static func run(
    for runner: EffectRunner, _ work: @Sendable () async -> Void
  ) async {
    let value = EffectTask(of: runner)
    await $current.withValue(value) { await work() }
    value.isOver.store(true, ordering: .releasing)
  }

  /// Whether the current task is that of one of the runner's effects.
  static func isCurrent(in runner: EffectRunner) -> Bool {
    guard let current, !current.isOver.load(ordering: .acquiring) else { return false }
    return current.runner == ObjectIdentifier(runner) && current.task == currentTask
  }
}
