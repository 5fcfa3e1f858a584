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
      AnyHandler(handles: { _ in true }, .async { [work] _, dispatch in await work(dispatch) })
    ])
  }
}
