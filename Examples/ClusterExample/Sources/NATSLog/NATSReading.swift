import CNATS
public import GlueCluster
import Synchronization

extension NATSLog {
  /// Reads what the consumer has been sent, waiting for the first message.
  public func read(
    from position: LogPosition, within limit: Duration
  ) async throws(LogError) -> LogPage {
    do {
      return try await withTaskCancellationHandler {
        try await on(reading) { () throws(LogError) in try self.readNow(from: position, limit) }
      } onCancel: {
        // A read that waits for a message then ends, and the next one subscribes anew.
        reader.withLock {
          guard let subscription = OpaquePointer(bitPattern: $0.subscription) else { return }
          natsSubscription_Unsubscribe(subscription)
        }
      }
    } catch {
      throw error as? LogError ?? .cut("\(error)")
    }
  }

  private func readNow(from position: LogPosition, _ limit: Duration) throws(LogError) -> LogPage {
    do throws(LogError) {
      if reader.withLock({ $0.subscription == 0 || $0.next != position }) {
        try subscribe(from: position)
      }
      return try page(within: limit)
    } catch {
      unsubscribe()
      throw error
    }
  }

  private func subscribe(from position: LogPosition) throws(LogError) {
    unsubscribe()
    let connection = try nats.connection()
    try ensureStream(connection)
    let (log, first, _) = try info()
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
    var subscription: OpaquePointer?
    try check(
      js_SubscribeSync(&subscription, connection.stream, subject, nil, &config, nil), connection)
    reader.withLock {
      $0.connection = connection
      $0.subscription = UInt(bitPattern: subscription)
      $0.next = position
      $0.log = log
    }
  }

  /// The time at which the stream was made, which identifies it, and the range of its positions.
  func info() throws(LogError) -> (log: String, first: LogPosition, last: LogPosition) {
    let found = try withStreamInfo { info in
      ("\(name) of \(info.Created)", Int(info.State.FirstSeq), Int(info.State.LastSeq))
    }
    if let found { return found }
    throw noStream
  }

  /// Asks for the stream; nil if there is none.
  func withStreamInfo<Value>(_ body: (jsStreamInfo) -> Value) throws(LogError) -> Value? {
    var info: UnsafeMutablePointer<jsStreamInfo>?
    let connection = try nats.connection()
    let status = js_GetStreamInfo(&info, connection.stream, name, nil, nil)
    if status == NATS_NOT_FOUND { return nil }
    try check(status, connection)
    defer { jsStreamInfo_Destroy(info) }
    return body(info!.pointee)
  }

  func unsubscribe() {
    reader.withLock {
      natsSubscription_Destroy(OpaquePointer(bitPattern: $0.subscription))
      ($0.subscription, $0.connection) = (0, nil)
    }
  }

  private func page(within limit: Duration) throws(LogError) -> LogPage {
    let (bits, next, log) = reader.withLock { ($0.subscription, $0.next, $0.log) }
    let subscription = OpaquePointer(bitPattern: bits)
    var page = LogPage(log: log, end: next - 1, entries: [])
    try take(from: subscription, into: &page, limit.milliseconds)
    if page.entries.isEmpty {
      page.end = try info().last
      if page.end >= next {
        // It may have come just now, and be on its way.
        try take(from: subscription, into: &page, 2_000)
        if page.entries.isEmpty {
          throw .cut("NATS: the consumer is silent; its server has gone.")
        }
      }
    }
    reader.withLock { $0.next = page.entries.last.map { $0.position + 1 } ?? next }
    return page
  }

  /// Takes what is there, waiting for the first.
  private func take(
    from subscription: OpaquePointer?, into page: inout LogPage, _ milliseconds: Int64
  ) throws(LogError) {
    var wait = milliseconds
    while page.entries.count < 500 {
      var message: OpaquePointer?
      let status = natsSubscription_NextMsg(&message, subscription, wait)
      if status == NATS_TIMEOUT { return }
      try check(status)
      defer { natsMsg_Destroy(message) }
      let (entry, pending) = try entry(of: message)
      page.entries.append(entry)
      page.end = entry.position + pending
      wait = 1
    }
  }

  private func entry(
    of message: OpaquePointer?
  ) throws(LogError) -> (LogEntry, pending: Int) {
    var data: UnsafeMutablePointer<jsMsgMetaData>?
    try check(natsMsg_GetMetaData(&data, message))
    defer { jsMsgMetaData_Destroy(data) }
    let bytes = UnsafeRawBufferPointer(
      start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
    let entry = LogEntry(position: LogPosition(data!.pointee.Sequence.Stream), bytes: Array(bytes))
    return (entry, Int(data!.pointee.NumPending))
  }
}
