/// Asynchronous work that a middleware asks its store to run in a task, by dispatching it.
@usableFromInline
struct AsyncWork: Intent, Effect {
  private let work: @Sendable (@escaping DispatchFunc) async -> Void

  init(_ work: @escaping @Sendable (@escaping DispatchFunc) async -> Void) {
    self.work = work
  }

  /// A route whose only handler runs the work, with this as its effect.
  var route: Route {
    Route([
      AnyHandler(
        handles: { _ in true },
        .async { [work] run in
          run.makeTask { (_: any Effect, dispatch) in await work(dispatch) }
        })
    ])
  }
}

extension EffectRun {
  /// The effect with an id whose task is the current one, or has created it.
  @usableFromInline static let enclosing = TaskLocal<EffectRun?>(wrappedValue: nil)

  /// Makes a task in which an asynchronous handler does the work.
  ///
  /// Inlinable, so that the task calls the handler directly: a function in between costs a frame.
  /// The closures are written twice, because one stored in a variable is wrapped in two more.
  @inlinable
  func makeTask<Handled: Sendable>(
    for handler: @escaping @Sendable (Handled, @escaping DispatchFunc) async -> Void
  ) -> Task<Void, Never> {
    guard let executor else { return Task { await self.run(handler) } }
    return Task(executorPreference: executor) { await self.run(handler) }
  }

  /// Calls a handler in its task.
  ///
  /// Without an id, no task-local value is set, because that costs.
  @inlinable
  nonisolated(nonsending) func run<Handled: Sendable>(
    _ handler: @Sendable (Handled, @escaping DispatchFunc) async -> Void
  ) async {
    if let effect = handled(effect, as: Handled.self) {
      beginTask()
      if schedule == nil {
        await handler(effect, callback.dispatch)
      } else {
        await EffectRun.enclosing.withValue(self) { await handler(effect, callback.dispatch) }
      }
    }
    endTask()
  }

  @usableFromInline var executor: (any TaskExecutor)? { runner.executor }
  @usableFromInline var callback: Callback { origin.callback }

  @usableFromInline
  func beginTask() {
    noteTask()
    if let executor { (executor as? any EffectNoting)?.note(effect) }
  }

  @usableFromInline
  func endTask() { runner.endShare(of: self) }
}

/// A task's identity: its address, which is unique while it exists; 0 for none.
typealias TaskID = UInt

/// The current task.
///
/// Sound: the structure holds nothing but the reference to the task, as ``Task`` does; nil is 0.
func currentTask() -> TaskID {
  withUnsafeCurrentTask { unsafeBitCast($0, to: TaskID.self) }
}

/// A task's identity.
///
/// Sound because a task holds nothing but the reference.
func identity(of task: Task<Void, Never>) -> TaskID { unsafeBitCast(task, to: TaskID.self) }

/// An executor that records which effects its tasks work for.
package protocol EffectNoting {
  /// Records that the current task works for an effect.
  func note(_ effect: any Effect)
}
