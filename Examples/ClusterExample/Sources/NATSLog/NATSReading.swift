import CNATS
public import GlueCluster
import Synchronization

extension NATSLog {
  /// Reads the messages that have come to the consumer, waiting for the first.
  public func read(
    from position: Position, within limit: Duration
  ) async throws(LogError) -> Page {
    do {
      return try await withTaskCancellationHandler {
        try await on(reading) { () throws(LogError) in try self.readNow(from: position, limit) }
      } onCancel: {
        // The wait for a message ends then, and the next read makes another consumer.
        reader.withLock { reader in
          if let reader { natsSubscription_Unsubscribe(reader.consumer.pointer) }
        }
      }
    } catch {
      throw error as? LogError ?? .cut("\(error)")
    }
  }

  private func readNow(from position: Position, _ limit: Duration) throws(LogError) -> Page {
    do throws(LogError) {
      let (old, next) = reader.withLock { ($0?.consumer, $0?.next) }
      let consumer = if let old, next == position { old } else { try consumer(from: position) }
      let page = try page(of: consumer, from: position, within: limit)
      let last = page.entries.last?.position ?? position - 1
      reader.withLock { $0 = (consumer, last + 1) }
      return page
    } catch {
      reader.withLock { $0 = nil }
      throw error
    }
  }

  private func consumer(from position: Position) throws(LogError) -> Consumer {
    let connection = try nats.connection()
    try ensureStream(connection)
    let (log, first, _) = try info()
    if position < first { throw .trimmed(first: first) }
    let consumer = try Consumer(of: subject, from: position, log: log, connection)
    reader.withLock { $0 = (consumer, position) }
    return consumer
  }

  /// The stream's identity, with the time at which it was made, and its first and last positions.
  func info() throws(LogError) -> (log: String, first: Position, last: Position) {
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

  private func page(
    of consumer: Consumer, from position: Position, within limit: Duration
  ) throws(LogError) -> Page {
    var page = Page(log: consumer.log, end: position - 1, entries: [])
    try take(from: consumer, into: &page, limit.milliseconds)
    if page.entries.isEmpty {
      page.end = try info().last
      if page.end >= position {
        // The entry may be on its way.
        try take(from: consumer, into: &page, 2_000)
        if page.entries.isEmpty {
          throw .cut("NATS: the consumer is silent; its server has gone.")
        }
      }
    }
    return page
  }

  /// Takes the messages that are there, waiting for the first.
  private func take(
    from consumer: Consumer, into page: inout Page, _ milliseconds: Int64
  ) throws(LogError) {
    var wait = milliseconds
    while page.entries.count < 500 {
      var message: OpaquePointer?
      let status = natsSubscription_NextMsg(&message, consumer.pointer, wait)
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
    let entry = LogEntry(
      position: Position(data!.pointee.Sequence.Stream), bytes: bytes(of: message))
    return (entry, Int(data!.pointee.NumPending))
  }
}

func bytes(of message: OpaquePointer?) -> [UInt8] {
  Array(
    UnsafeRawBufferPointer(
      start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message))))
}

/// A consumer of a stream, from a position on.
final class Consumer: Sendable {
  // Sound: the client's functions may be called from any thread, and this is set once.
  nonisolated(unsafe) let pointer: OpaquePointer?
  let log: String
  private let connection: Connection

  init(
    of subject: String, from position: Position, log: String, _ connection: Connection
  ) throws(LogError) {
    (self.log, self.connection) = (log, connection)
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
    var pointer: OpaquePointer?
    let status = js_SubscribeSync(&pointer, connection.stream, subject, nil, &config, nil)
    self.pointer = pointer
    try check(status, connection)
  }

  deinit { natsSubscription_Destroy(pointer) }
}
