#if NATS
  import CGlueNATS
  import Foundation
  public import GlueCluster
  import Synchronization

  /// A log that is a stream of NATS JetStream, kept by Raft on several servers.
  ///
  /// Where there are several servers, one process alone makes the stream, by ``make(within:)``.
  public final class NATSLog: Log {
    // The C client blocks, so its calls are made on queues: one for what is appended, one for what is
    // read, one for snapshots. Nothing is called back, so nothing has to outlive anything.
    //
    // - The reader is an ephemeral consumer with a start position and flow control, made anew at the
    //   position that is wanted whenever anything is odd. That is the client's `Ordered` by hand: the
    //   one of libnats 3.4.1 crashed while servers were killed, and would follow a stream that was made
    //   anew. A synchronous reader doesn't hear that its server has gone, so one that hears nothing
    //   asks the stream.
    // - The client's waits end by the wall clock, which may be set back. So a read that lasts too long
    //   is interrupted.
    // - A stream's positions have no gaps, because nothing is deleted from its middle.

    let nats: NATS
    let name: String
    let copies: Int
    let writing = DispatchQueue(label: "NATSLog.writing")
    let reading = DispatchQueue(label: "NATSLog.reading")
    let keeping = DispatchQueue(label: "NATSLog.keeping")
    let hasStream = Atomic(false)
    let reader = Mutex(Reader())

    struct Reader {
      /// It keeps the connection that the subscription is of.
      var connection: Connection?
      var subscription: UInt = 0
      var next = 0
      var log = ""

      /// The session of the last page.
      var session = ""

      /// The number of the last read, and of the last one that was interrupted.
      var (read, interrupted) = (0, 0)

      /// When the last read should end, and the task that sees to that.
      var end: ContinuousClock.Instant?
      var watch: Task<Void, Never>?
    }

    init(nats: NATS, name: String, copies: Int) {
      (self.nats, self.name, self.copies) = (nats, name, copies)
    }

    package static func canBeNamed(_ name: String) -> Bool {
      (1...200).contains(name.count)
        && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }

    deinit {
      reader.withLock { $0.watch?.cancel() }
      unsubscribe()
    }

    /// Runs what blocks on a queue of its own.
    func on<Value: Sendable>(
      _ queue: DispatchQueue, _ body: @escaping @Sendable () throws(LogError) -> Value
    ) async throws(LogError) -> Value {
      try await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: Result { () throws(LogError) in try body() }) }
      }.get()
    }

    /// The connection that is a session; nil: any.
    func connection(
      of session: String?, until end: ContinuousClock.Instant
    ) throws(LogError) -> Connection {
      let connection = try nats.connection(until: end)
      if let session, session != connection.session {
        throw .refused("NATS: another session has begun")
      }
      return connection
    }

    var subject: String { "glue.\(name)" }
  }

  extension NATSLog {
    /// Appends by publishing on the connection that is the session, or on any, and waits for the
    /// servers' word that a majority has it.
    public func append(
      _ entry: [UInt8], in session: String?, within limit: Duration
    ) async throws(LogError) -> LogPosition {
      let end = ContinuousClock.now + limit
      return try await on(writing) { () throws(LogError) in
        let connection: Connection
        do {
          connection = try self.connection(of: session, until: end)
          try self.ensureStream(connection, until: end)
        } catch { throw .refused("\(error)") }
        var options = jsPubOptions()
        jsPubOptions_Init(&options)
        options.MaxWait = end.milliseconds
        var acknowledgement: UnsafeMutablePointer<jsPubAck>?
        let status = entry.withUnsafeBytes {
          js_Publish(
            &acknowledgement, connection.stream, self.subject, $0.baseAddress, Int32($0.count),
            &options, nil)
        }
        defer { jsPubAck_Destroy(acknowledgement) }
        switch status {
        case NATS_OK: return LogPosition(acknowledgement!.pointee.Sequence)
        // No server was there to take it.
        case NATS_NO_RESPONDERS: throw .refused(text(of: status))
        default: throw .unknown(text(of: status))
        }
      }
    }
  }

  func check(_ status: natsStatus, _ connection: Connection? = nil) throws(LogError) {
    if status != NATS_OK { throw .cut(connection?.refusal ?? text(of: status)) }
  }

  func text(of status: natsStatus) -> String {
    "NATS: " + String(cString: natsStatus_GetText(status))
  }

  @discardableResult
  func withCString<Value>(
    _ string: String, _ body: (UnsafePointer<CChar>) -> Value
  ) -> Value {
    string.withCString(body)
  }

  extension ContinuousClock.Instant {
    /// How many milliseconds are left until then, for the client, to which 0 means no limit.
    var milliseconds: Int64 { max(1, Int64(clamping: Int((self - .now) / .milliseconds(1)))) }
  }

  /// The client's options for a request that ends by then.
  func options(until end: ContinuousClock.Instant) -> jsOptions {
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Wait = end.milliseconds
    return options
  }
#endif
