internal import Glue

/// Knows which asynchronous handlers of a store under test are at work, cancelled or not.
///
/// The store forgets an effect when it is cancelled; a test must not, until its task has returned.
final class TaskWatch: Sendable {
  private struct Content {
    var works: [Int: WatchedWork] = [:]
    var cancelled: Set<Int> = []
    var lastNumber = 0
    var endedCount = 0
  }

  private let content = Guarded(Content())

  /// The end of a handler's work.
  let ending = Event()

  /// How often a handler's work has ended.
  var endedCount: Int { content.withLock { $0.endedCount } }

  /// Those at work, in the order in which they were started.
  var works: [WatchedWork] {
    content.withLock { $0.works.values.sorted { $0.number < $1.number } }
  }

  var cancelledWorks: [WatchedWork] {
    let cancelled = content.withLock { $0.cancelled }
    return works.filter { cancelled.contains($0.number) }
  }

  /// Returns when none is at work, or after so much real time.
  nonisolated(nonsending) func end(atMost limit: Duration) async {
    await wait(atMost: limit) { [self] in
      while !works.isEmpty, !Task.isCancelled { await ending.wait(unless: { works.isEmpty }) }
    }
  }

  func isAtWork(_ number: Int) -> Bool { content.withLock { $0.works[number] != nil } }

  /// Does the work of a synchronous handler, and knows afterwards what tasks that has made.
  func mark(
    _ effect: any Sendable, of handler: String, _ dispatch: @escaping DispatchFunc,
    _ work: (@escaping DispatchFunc) -> Void
  ) {
    WatchedWork.$current.withValue(newWork(effect, handler)) { work(unmarked(dispatch)) }
  }

  /// Does the work of an asynchronous handler.
  nonisolated(nonsending) func watch(
    _ effect: any Sendable, of handler: String, _ dispatch: @escaping DispatchFunc,
    _ work: nonisolated(nonsending) (@escaping DispatchFunc) async -> Void
  ) async {
    let new = newWork(effect, handler)
    content.withLock { $0.works[new.number] = new }
    await WatchedWork.$current.withValue(new) {
      await withTaskCancellationHandler {
        await work(unmarked(dispatch))
      } onCancel: {
        _ = content.withLock { $0.cancelled.insert(new.number) }
      }
    }
    content.withLock { content in
      content.works[new.number] = nil
      content.cancelled.remove(new.number)
      content.endedCount += 1
    }
    ending.happen()
  }

  private func newWork(_ effect: any Sendable, _ handler: String) -> WatchedWork {
    let number = content.withLock { content in
      content.lastNumber += 1
      return content.lastNumber
    }
    return WatchedWork(watch: self, number: number, effect: effect, handler: handler)
  }

  /// What an intent causes is not the work of the handler that has dispatched it.
  private func unmarked(_ dispatch: @escaping DispatchFunc) -> DispatchFunc {
    { intent in WatchedWork.$current.withValue(nil) { dispatch(intent) } }
  }
}

/// What a handler of a store under test does for one effect.
struct WatchedWork: Sendable {
  /// The work that the current task does, or whose handler has made the task.
  @TaskLocal static var current: WatchedWork?

  let watch: TaskWatch
  let number: Int
  let effect: any Sendable
  let handler: String

  /// Whether the handler has returned.
  var isOver: Bool { !watch.isAtWork(number) }

  /// Says of one that is over what it has left.
  var line: String {
    "A task that \(handler) made for \(text(of: effect)) still waits for the clock"
  }
}

/// An asynchronous handler of a store under test.
struct WatchedHandler<Handler: AsyncEffectHandler>: AsyncEffectHandler {
  let handler: Handler
  let watch: TaskWatch

  func handle(effect: Handler.Handled, dispatch: @escaping DispatchFunc) async {
    await watch.watch(effect, of: "\(Handler.self)", dispatch) {
      await handler.handle(effect: effect, dispatch: $0)
    }
  }
}

/// A synchronous handler of a store under test.
final class MarkedHandler<Handler: EffectHandler & SendableMetatype>: EffectHandler {
  private let handler: Handler
  private let watch: TaskWatch

  init(_ handler: sending Handler, watch: TaskWatch) {
    self.handler = handler
    self.watch = watch
  }

  func handle(effect: Handler.Handled, dispatch: @escaping DispatchFunc) {
    watch.mark(effect, of: "\(Handler.self)", dispatch) {
      handler.handle(effect: effect, dispatch: $0)
    }
  }
}
