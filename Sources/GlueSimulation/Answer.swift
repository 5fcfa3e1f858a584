internal import Glue

/// The first outcome of a client's call: its answer, the end of the process, or the cancellation of the
/// client.
final class Answer<Value: Sendable>: Sendable {
  private struct Content: Sendable {
    var result: Result<Value, any Error>?
    var continuation: UnsafeContinuation<Value, any Error>?
  }

  private let content = Locked(Content())

  /// - Returns: whether the outcome is the first.
  @discardableResult
  func resume(with result: Result<Value, any Error>) -> Bool {
    let (isFirst, continuation) = content.withLock { content in
      if content.result != nil { return (false, nil as UnsafeContinuation<Value, any Error>?) }
      content.result = result
      return (true, content.continuation.take())
    }
    continuation?.resume(with: result)
    return isFirst
  }

  var value: Value {
    get async throws {
      try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
          let early = content.withLock { content in
            if content.result == nil { content.continuation = continuation }
            return content.result
          }
          if let early { continuation.resume(with: early) }
        }
      } onCancel: {
        resume(with: .failure(CancellationError()))
      }
    }
  }
}
