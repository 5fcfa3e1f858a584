import Foundation

/// Makes a call that blocks, on a thread of its own.
///
///     let names = try await blocking { try FileManager.default.contentsOfDirectory(atPath: path) }
///
/// Asynchronous handlers run on the few threads that all tasks share. A call that waits for a disk,
/// a lock or another process keeps one of them from everybody, so it gets one that may wait. If the
/// calling task is cancelled the call goes on, and this waits for it.
///
/// - Parameter call: is made once.
/// - Returns: what it returns.
/// - Throws: what it throws.
public nonisolated(nonsending) func blocking<Value: Sendable, Failure: Error>(
  _ call: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(returning: Result { () throws(Failure) in try call() })
    }
  }.get()
}
