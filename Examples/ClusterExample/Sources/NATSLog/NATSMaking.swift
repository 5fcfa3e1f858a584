import CNATS
public import GlueCluster
import Synchronization

extension NATSLog {
  /// Makes the stream, and the bucket for its snapshots, unless they are there.
  ///
  /// One process does it, once, before others use the log: of two that make a stream at the same
  /// time the servers may each believe another one, and show different entries
  /// (nats-io/nats-server #3679, #7210). A log on one server makes itself.
  ///
  /// - Parameter limit: how long to try; servers that have just been started take a while.
  /// - Throws: ``LogError/cut(_:)`` with what the servers said last.
  public func make(within limit: Duration = .seconds(30)) async throws(LogError) {
    let end = ContinuousClock.now + limit
    while true {
      var pause = Duration.milliseconds(200)
      do throws(LogError) {
        if try await on(writing, isThere) { return }
        // What was asked for and not answered may still be done: nothing is asked for beside that.
        pause = .seconds(5)
        return try await on(writing, makeStream)
      } catch {
        if ContinuousClock.now > end || Task.isCancelled { throw error }
        try? await Task.sleep(for: pause)
      }
    }
  }

  /// Sees to it that the stream and the bucket are there.
  func ensureStream() throws(LogError) {
    if hasStream.load(ordering: .relaxed) { return }
    if replicas == 1 { try makeStream() } else { _ = try info() }
    hasStream.store(true, ordering: .relaxed)
  }

  @Sendable private func isThere() throws(LogError) -> Bool {
    try withStreamInfo { _ in true } ?? false
  }

  @Sendable private func makeStream() throws(LogError) {
    try makeBucket()
    let status = withCString(subject) { subject in
      withCString(name) { name in
        var subjects: [UnsafePointer<CChar>?] = [subject]
        return subjects.withUnsafeMutableBufferPointer { subjects in
          var config = jsStreamConfig()
          jsStreamConfig_Init(&config)
          config.Name = name
          config.Subjects = subjects.baseAddress
          config.SubjectsLen = 1
          config.Storage = js_FileStorage
          config.Replicas = Int64(replicas)
          config.DenyDelete = true
          return js_AddStream(nil, stream, &config, nil, nil)
        }
      }
    }
    try check(status)
  }

  private func makeBucket() throws(LogError) {
    var bucket: OpaquePointer?
    let status = withCString(name) { name in
      var config = kvConfig()
      kvConfig_Init(&config)
      config.Bucket = name
      config.History = 1
      config.Replicas = Int32(replicas)
      return js_CreateKeyValue(&bucket, stream, &config)
    }
    try check(status)
    kvStore_Destroy(bucket)
  }
}
