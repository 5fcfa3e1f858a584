import Foundation

/// Makes a call that blocks, on a thread of its own.
///
///     let names = try await runOnOwnThread {
///       try FileManager.default.contentsOfDirectory(atPath: path)
///     }
///
/// Asynchronous handlers run on the few threads of the cooperative pool. A call that waits for a
/// disk, a lock or another process would block one of them, so this makes it on a thread that may
/// wait. If the calling task is canceled, the call continues, and this waits for it.
///
/// - Parameter call: is made once.
/// - Returns: the call's result.
/// - Throws: the call's error.
public nonisolated(nonsending) func runOnOwnThread<Value: Sendable, Failure: Error>(
  _ call: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(returning: Result { () throws(Failure) in try call() })
    }
  }.get()
}
