#if NATS
  import CGlueNATS
  public import GlueCluster
  import Synchronization

  extension NATSLog {
    /// Reads what the consumer has been sent, waiting for the first message.
    public func read(
      from position: LogPosition, within limit: Duration
    ) async throws(LogError) -> LogPage {
      let end = ContinuousClock.now + limit
      let read = reader.withLock { reader in
        reader.read += 1
        reader.end = end
        if reader.watch == nil { reader.watch = Task { [weak self] in await watch { self } } }
        return reader.read
      }
      do {
        return try await withTaskCancellationHandler {
          try await on(reading) { () throws(LogError) in
            try self.readNow(read, from: position, until: end)
          }
        } onCancel: {
          interrupt(read)
        }
      } catch {
        throw error as? LogError ?? .cut("\(error)")
      }
    }

    /// Reads a message from the server that leads the stream.
    public func entry(
      at position: LogPosition, within limit: Duration
    ) async throws(LogError) -> LogEntry? {
      let end = ContinuousClock.now + limit
      return try await on(reading) { () throws(LogError) in
        let connection = try self.nats.connection(until: end)
        var (message, options) = (OpaquePointer?.none, options(until: end))
        let status = js_GetMsg(
          &message, connection.stream, self.name, UInt64(position), &options, nil)
        defer { natsMsg_Destroy(message) }
        if status == NATS_OK { return LogEntry(position: position, bytes: bytes(of: message)) }
        if status != NATS_NOT_FOUND { try check(status, connection) }
        let first = try self.info(until: end).first
        if position < first { throw .trimmed(first: first) }
        return nil
      }
    }

    /// Makes a read that waits for a message return, so that the next one subscribes anew.
    private func interrupt(_ read: Int) {
      reader.withLock { reader in
        guard reader.read == read else { return }
        reader.interrupted = read
        reader.connection?.interrupt(reader.subscription)
      }
    }

    fileprivate func interruptLongRead() {
      let (read, end) = reader.withLock { ($0.read, $0.end) }
      if let end, end + patience * 2 < .now { interrupt(read) }
    }

    private func readNow(
      _ read: Int, from position: LogPosition, until end: ContinuousClock.Instant
    ) throws(LogError) -> LogPage {
      defer { reader.withLock { $0.end = nil } }
      do throws(LogError) {
        let connection = try nats.connection(until: end + patience)
        let (isNew, isNext) = reader.withLock {
          ($0.session != connection.session, $0.connection === connection && $0.next == position)
        }
        let last = isNext ? nil : try subscribe(from: position, connection, until: end + patience)
        if isNew, let last, last < position { return page(end: last, []) }
        if reader.withLock({ $0.interrupted == read }) { throw .cut("NATS: interrupted") }
        return try page(until: end)
      } catch {
        unsubscribe()
        throw error
      }
    }

    /// Makes a consumer, and returns the last position.
    private func subscribe(
      from position: LogPosition, _ connection: Connection, until end: ContinuousClock.Instant
    ) throws(LogError) -> LogPosition {
      unsubscribe()
      try ensureStream(connection, until: end)
      let (log, first, last) = try info(until: end)
      if position < first { throw .trimmed(first: first) }
      var config = jsSubOptions()
      jsSubOptions_Init(&config)
      config.Config.DeliverPolicy = js_DeliverByStartSequence
      config.Config.OptStartSeq = UInt64(position)
      config.Config.AckPolicy = js_AckNone
      config.Config.MaxDeliver = 1
      config.Config.FlowControl = true
      config.Config.Heartbeat = 500_000_000
      config.Config.MemoryStorage = true
      config.Config.Replicas = 1
      var (subscription, options) = (OpaquePointer?.none, options(until: end))
      try check(
        js_SubscribeSync(&subscription, connection.stream, subject, &options, &config, nil),
        connection)
      reader.withLock {
        $0.connection = connection
        $0.subscription = UInt(bitPattern: subscription)
        $0.next = position
        $0.log = log
      }
      return last
    }

    /// The time at which the stream was made, which identifies it, and the range of its positions.
    private func info(
      until end: ContinuousClock.Instant
    ) throws(LogError) -> (log: String, first: LogPosition, last: LogPosition) {
      let found = try withStreamInfo(until: end) { info in
        ("\(name) of \(info.Created)", Int(info.State.FirstSeq), Int(info.State.LastSeq))
      }
      if let found { return found }
      throw noStream
    }

    /// Asks for the stream; nil if there is none.
    func withStreamInfo<Value>(
      _ connection: Connection? = nil, until end: ContinuousClock.Instant,
      _ body: (jsStreamInfo) -> Value
    ) throws(LogError) -> Value? {
      var info: UnsafeMutablePointer<jsStreamInfo>?
      let connection = if let connection { connection } else { try nats.connection(until: end) }
      var options = options(until: end)
      let status = js_GetStreamInfo(&info, connection.stream, name, &options, nil)
      if status == NATS_NOT_FOUND { return nil }
      try check(status, connection)
      defer { jsStreamInfo_Destroy(info) }
      return body(info!.pointee)
    }

    func unsubscribe() {
      reader.withLock {
        if $0.subscription != 0 { $0.connection?.end($0.subscription) }
        ($0.subscription, $0.connection) = (0, nil)
      }
    }

    private func page(until end: ContinuousClock.Instant) throws(LogError) -> LogPage {
      let (bits, next) = reader.withLock { ($0.subscription, $0.next) }
      let subscription = OpaquePointer(bitPattern: bits)
      var entries: [LogEntry] = []
      if let last = try take(from: subscription, into: &entries, end) {
        return page(end: last, entries)
      }
      let last = try info(until: end + patience).last
      if last < next { return page(end: last, []) }
      // It may have come just now, and be on its way.
      if let last = try take(from: subscription, into: &entries, end + patience) {
        return page(end: last, entries)
      }
      throw .cut("NATS: the consumer is silent; its server has gone.")
    }

    private func page(end: LogPosition, _ entries: [LogEntry]) -> LogPage {
      reader.withLock { reader in
        reader.next = entries.last.map { $0.position + 1 } ?? reader.next
        reader.session = reader.connection?.session ?? ""
        return LogPage(log: reader.log, session: reader.session, end: end, entries: entries)
      }
    }

    /// Takes what is there, waiting for the first, and returns the last position; nil if none came.
    private func take(
      from subscription: OpaquePointer?, into entries: inout [LogEntry],
      _ end: ContinuousClock.Instant
    ) throws(LogError) -> LogPosition? {
      var (last, bytes, wait) = (LogPosition?.none, 0, end.milliseconds)
      while entries.count < 500, bytes < 1 << 20 {
        var message: OpaquePointer?
        let status = natsSubscription_NextMsg(&message, subscription, wait)
        if status == NATS_TIMEOUT { break }
        try check(status)
        defer { natsMsg_Destroy(message) }
        let (entry, pending) = try entry(of: message)
        entries.append(entry)
        last = entry.position + pending
        bytes += entry.bytes.count
        wait = 0
      }
      return last
    }

    private func entry(
      of message: OpaquePointer?
    ) throws(LogError) -> (LogEntry, pending: Int) {
      var data: UnsafeMutablePointer<jsMsgMetaData>?
      try check(natsMsg_GetMetaData(&data, message))
      defer { jsMsgMetaData_Destroy(data) }
      let position = LogPosition(data!.pointee.Sequence.Stream)
      let entry = LogEntry(position: position, bytes: bytes(of: message))
      return (entry, Int(data!.pointee.NumPending))
    }
  }

  /// Interrupts reads that last too long, as long as the log is there.
  private func watch(_ log: () -> NATSLog?) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: patience)
      log()?.interruptLongRead()
    }
  }

  private func bytes(of message: OpaquePointer?) -> [UInt8] {
    let count = Int(natsMsg_GetDataLength(message))
    return Array(UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: count))
  }

  /// How long a read may continue after its limit, so that it ends with an answer.
  private let patience = Duration.seconds(3)

  extension ContinuousClock.Instant {
    /// The end of a request that has no limit of its own.
    static var request: Self { .now + patience }
  }
#endif
