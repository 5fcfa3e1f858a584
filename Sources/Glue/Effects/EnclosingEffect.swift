/// The effect whose task runs, as that task knows it.
///
/// Tasks that it makes inherit the value, but are no part of the effect.
struct EnclosingEffect: Sendable {
  @TaskLocal static var innermost: EnclosingEffect?

  let run: EffectRun
  private let runner: ObjectIdentifier
  private let task = currentTask()

  init(run: EffectRun, of runner: EffectRunner) {
    self.run = run
    self.runner = ObjectIdentifier(runner)
  }

  /// The effect of a runner whose task is the current one, if any.
  static func current(of runner: EffectRunner?) -> EffectRun? {
    guard let innermost, let runner, innermost.runner == ObjectIdentifier(runner) else {
      return nil
    }
    return innermost.task == currentTask() ? innermost.run : nil
  }
}

/// A number of the current task, which is also the hash value of the `Task` that stands for it.
private func currentTask() -> Int? {
  withUnsafeCurrentTask { $0?.hashValue }
}
