internal import Glue

/// Knows which asynchronous handlers of a store under test are at work, cancelled or not.
///
/// The store forgets an effect when it is cancelled; a test must not, until its task has returned.
final class TaskWatch: Sendable {
  struct Work: Sendable {
    let effect: any Sendable
    let handler: String
    var isCancelled = false
  }

  private struct Content {
    var works: [Int: Work] = [:]
    var lastNumber = 0
  }

  private let content = Guarded(Content())

  /// Those at work, in the order in which they were started.
  var works: [Work] {
    content.withLock { $0.works }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Does the work of a handler.
  nonisolated(nonsending) func watch(
    _ effect: any Sendable, of handler: String, _ work: nonisolated(nonsending) () async -> Void
  ) async {
    let number = content.withLock { content in
      content.lastNumber += 1
      content.works[content.lastNumber] = Work(effect: effect, handler: handler)
      return content.lastNumber
    }
    await withTaskCancellationHandler {
      await work()
    } onCancel: {
      content.withLock { $0.works[number]?.isCancelled = true }
    }
    _ = content.withLock { $0.works.removeValue(forKey: number) }
  }
}

/// An asynchronous handler of a store under test.
struct WatchedHandler<Handler: AsyncEffectHandler>: AsyncEffectHandler {
  let handler: Handler
  let watch: TaskWatch

  func handle(effect: Handler.Handled, dispatch: @escaping DispatchFunc) async {
    await watch.watch(effect, of: "\(Handler.self)") {
      await handler.handle(effect: effect, dispatch: dispatch)
    }
  }
}
