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
  /// Makes a task in which an asynchronous handler does the work.
  ///
  /// Inlinable, so that the task calls the handler directly: each function in between costs a frame.
  /// The closures are written twice, because one in a variable is wrapped in two more.
  @inlinable
  func makeTask<Handled: Sendable>(
    for handler: @escaping @Sendable (Handled, @escaping DispatchFunc) async -> Void
  ) -> Task<Void, Never> {
    guard let executor else { return Task { await self.call(handler) } }
    return Task(executorPreference: executor) { await self.call(handler) }
  }

  @inlinable
  nonisolated(nonsending) func call<Handled: Sendable>(
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
