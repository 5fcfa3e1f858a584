/// Which task runs: its address, which no other task shares while it exists; 0 for none.
typealias TaskID = UInt

/// The current task.
///
/// Sound: the structure holds nothing but the reference to the task, as ``Task`` does.
func currentTask() -> TaskID {
  withUnsafeCurrentTask { $0.map { unsafeBitCast($0, to: TaskID.self) } ?? 0 }
}

/// An effect with an id, as its task knows it: sequential ones of that id wait for it.
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
