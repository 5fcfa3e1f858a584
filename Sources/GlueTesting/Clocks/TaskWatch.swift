internal import Glue
internal import GlueDescribing

/// Records which asynchronous handlers of a store under test are at work, canceled or not.
///
/// The store forgets an effect when it is canceled; a test must not, until the task has returned.
final class TaskWatch: HandlerWatch {
  private struct Content {
    var works: [Int: WatchedWork] = [:]
    var canceled: Set<Int> = []

    /// The work of synchronous handlers that haven't returned, innermost last.
    var marked: [WatchedWork] = []
    var lastNumber = 0
    var endedCount = 0
  }

  private let content = Locked(Content())
  private let executor: TestExecutor

  init(executor: TestExecutor) { self.executor = executor }

  /// The end of a handler's work.
  let ending = Event()

  /// How often a handler's work has ended.
  var endedCount: Int { content.withLock { $0.endedCount } }

  /// The work in flight, in the order in which it was started.
  var works: [WatchedWork] {
    content.withLock { $0.works.values.sorted { $0.number < $1.number } }
  }

  var canceledWorks: [WatchedWork] {
    let canceled = content.withLock { $0.canceled }
    return works.filter { canceled.contains($0.number) }
  }

  /// Returns when no handler is at work, or after this real time.
  nonisolated(nonsending) func end(atMost limit: Duration) async {
    await wait(atMost: limit) { [self] in
      while !works.isEmpty, !Task.isCancelled { await ending.wait(unless: { works.isEmpty }) }
    }
  }

  /// The work of synchronous handlers that haven't returned.
  var marked: [WatchedWork] { content.withLock { $0.marked } }

  func isAtWork(_ number: Int) -> Bool { content.withLock { $0.works[number] != nil } }

  /// Runs a synchronous handler, and marks the tasks that it makes.
  func mark(
    _ effect: any Sendable, of handler: String, _ dispatch: @escaping DispatchFunc,
    _ work: (@escaping DispatchFunc) -> Void
  ) {
    let new = newWork(effect, handler)
    content.withLock { $0.marked.append(new) }
    WatchedWork.$current.withValue(new) { work(unmarked(dispatch)) }
    content.withLock { content in content.marked.removeAll { $0.number == new.number } }
  }

  /// Runs an asynchronous handler, and records its work.
  nonisolated(nonsending) func watch(
    _ effect: any Sendable, of handler: String, _ dispatch: @escaping DispatchFunc,
    _ work: nonisolated(nonsending) (@escaping DispatchFunc) async -> Void
  ) async {
    let new = newWork(effect, handler)
    executor.name("\(text(of: effect)) in \(handler)")
    content.withLock { $0.works[new.number] = new }
    await WatchedWork.$current.withValue(new) {
      await withTaskCancellationHandler {
        await work(unmarked(dispatch))
      } onCancel: {
        _ = content.withLock { $0.canceled.insert(new.number) }
      }
    }
    content.withLock { content in
      content.works[new.number] = nil
      content.canceled.remove(new.number)
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

  /// Consequences of an intent are not the work of the handler that dispatched it.
  private func unmarked(_ dispatch: @escaping DispatchFunc) -> DispatchFunc {
    { [executor] intent in
      executor.noteDispatch()
      WatchedWork.$current.withValue(nil) { dispatch(intent) }
    }
  }

  /// The same reducer, whose effects are dropped when too many commits have followed one another.
  ///
  /// So an effect that makes the reducer emit it again ends.
  func dropping<State>(_ reducer: @escaping Reducer<State>) -> Reducer<State> {
    { [executor] state, intent in
      let effects = reducer(&state, intent)
      return executor.noteCommit() ? [] : effects
    }
  }
}

/// A handler's work for one effect, in a store under test.
struct WatchedWork: Sendable {
  /// The work of the current task, or of the handler that made the task.
  @TaskLocal static var current: WatchedWork?

  let watch: TaskWatch
  let number: Int
  let effect: any Sendable
  let handler: String

  /// Whether the handler has returned.
  var isOver: Bool { !watch.isAtWork(number) }

  /// Describes finished work by the tasks that it has left.
  var line: String {
    "A task that \(handler) made for \(text(of: effect)) still waits for the clock"
  }
}
