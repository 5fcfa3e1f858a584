/// Work that a middleware asks its store to run, in a task, by dispatching it.
@usableFromInline
struct AsyncWork: Intent, Effect {
  private let work: @Sendable (@escaping DispatchFunc) async -> Void

  init(_ work: @escaping @Sendable (@escaping DispatchFunc) async -> Void) {
    self.work = work
  }

  /// The work as an effect whose only handler does it.
  func run(from origin: Origin) -> Run {
    let handling = Handling(
      handles: { _ in true }, async: { [work] _, dispatch in await work(dispatch) })
    return Run(self, handlers: [handling], origin: origin)
  }
}
