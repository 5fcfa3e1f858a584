/// Work that a middleware asks its store to run, in a task, by dispatching it.
@usableFromInline
struct AsyncWork: Intent, Effect {
  private let work: @Sendable (@escaping DispatchFunc) async -> Void

  init(_ work: @escaping @Sendable (@escaping DispatchFunc) async -> Void) {
    self.work = work
  }

  /// The work itself, as the only handler of this as an effect.
  var route: Route {
    Route([
      AnyHandler(handles: { _ in true }, async: { [work] _, dispatch in await work(dispatch) })
    ])
  }
}
