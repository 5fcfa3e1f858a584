/// Which effect's task the current one is.
///
/// Tasks that it makes inherit the value, so it names the task that it is about.
struct EffectTask: Sendable {
  @TaskLocal private static var current: EffectTask?

  private let runner: ObjectIdentifier
  private let task: Int

  private static var currentTask: Int { withUnsafeCurrentTask { $0.hashValue } }

  /// Does the work of an effect in the current task.
  nonisolated(nonsending) static func run(
    for runner: EffectRunner, _ work: @Sendable () async -> Void
  ) async {
    let value = EffectTask(runner: ObjectIdentifier(runner), task: currentTask)
    await $current.withValue(value) { await work() }
  }

  /// Whether the current task is that of one of the runner's effects.
  static func isCurrent(in runner: EffectRunner) -> Bool {
    guard let current else { return false }
    return current.runner == ObjectIdentifier(runner) && current.task == currentTask
  }
}
