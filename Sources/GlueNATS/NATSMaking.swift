#if NATS
  import CGlueNATS
  public import GlueCluster
  import Synchronization

  extension NATSLog {
    /// Makes the stream, and the bucket for its snapshots, unless they are there.
    ///
    /// One process does it, once, before others use the log. If two make a stream at the same time,
    /// the servers can keep one each, and show different entries (nats-io/nats-server #3679, #7210). A
    /// log with one copy makes itself.
    ///
    /// - Parameter limit: how long to try; servers that have just been started take a while.
    /// - Throws: ``/GlueCluster/LogError/refused(_:)`` if it is there with another number of copies, or
    ///   ``/GlueCluster/LogError/cut(_:)`` with what the servers said last.
    public func make(within limit: Duration = .seconds(30)) async throws(LogError) {
      let end = ContinuousClock.now + limit
      while true {
        var pause = Duration.milliseconds(200)
        do throws(LogError) {
          if try await on(writing, { () throws(LogError) in try self.isThere(until: .request) }) {
            return
          }
          // A request without an answer may still be carried out, so no other one is made meanwhile.
          pause = .seconds(5)
          return try await on(writing) { () throws(LogError) in
            try self.makeStream(self.nats.connection(until: .request))
          }
        } catch {
          if case .refused = error { throw error }
          if ContinuousClock.now > end || Task.isCancelled { throw error }
          try? await Task.sleep(for: pause)
        }
      }
    }

    /// The name of the server that leads the log; nil while there is none.
    public func leader() async throws(LogError) -> String? {
      try await on(writing) { () throws(LogError) in
        try self.withStreamInfo(until: .request) { info in
          info.Cluster?.pointee.Leader.map { String(cString: $0) }
        } ?? nil
      }
    }

    /// Sees to it that the stream and the bucket are there.
    func ensureStream(
      _ connection: Connection, until end: ContinuousClock.Instant
    ) throws(LogError) {
      if hasStream.load(ordering: .relaxed) { return }
      if try !isThere(until: end) {
        guard copies == 1 else { throw noStream }
        try makeStream(connection)
      }
      hasStream.store(true, ordering: .relaxed)
    }

    var noStream: LogError {
      hasStream.store(false, ordering: .relaxed)
      return .cut("NATS: there is no stream \"\(name)\"; make the log in one process, once.")
    }

    private func isThere(until end: ContinuousClock.Instant) throws(LogError) -> Bool {
      let copies = try withStreamInfo(until: end) { Int($0.Config.pointee.Replicas) }
      guard let found = copies else { return false }
      if found != self.copies {
        throw .refused(
          "NATS: copies of the log \"\(name)\": \(found) found, \(self.copies) asked for.")
      }
      return true
    }

    private func makeStream(_ connection: Connection) throws(LogError) {
      try makeBucket(connection)
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
            config.Replicas = Int64(copies)
            config.DenyDelete = true
            return js_AddStream(nil, connection.stream, &config, nil, nil)
          }
        }
      }
      try check(status, connection)
    }

    private func makeBucket(_ connection: Connection) throws(LogError) {
      var bucket: OpaquePointer?
      let status = withCString(name) { name in
        var config = kvConfig()
        kvConfig_Init(&config)
        config.Bucket = name
        config.History = 1
        config.Replicas = Int32(copies)
        return js_CreateKeyValue(&bucket, connection.stream, &config)
      }
      try check(status, connection)
      kvStore_Destroy(bucket)
    }
  }
#endif
