import CNATS
import Foundation
public import GlueCluster
import Synchronization

/// A log that is a stream of NATS JetStream, kept by Raft on several servers.
///
/// All that knows NATS is in this folder. The C client blocks, so its calls are made on queues: one
/// for what is appended, one for what is read, one for snapshots. Nothing is called back, so nothing
/// has to outlive anything.
///
/// - Disconnected, nothing is buffered: an append fails at once (`ReconnectBufSize` 0,
///   `FailRequestsOnDisconnect`), and ``SharedStore`` tries again until its deadline.
/// - The reader is an ephemeral consumer with a start position and flow control, made anew at the
///   position that is wanted whenever anything is odd: the client's `Ordered` by hand. That its
///   server has gone nobody tells a synchronous reader, so one that hears nothing asks the stream.
/// - A stream's positions have no gaps, for nothing is deleted from its middle.
/// - Where there are several servers one process alone makes the stream, by ``make(within:)``.
public final class NATSLog: Log {
  let name: String
  let replicas: Int
  let writing = DispatchQueue(label: "NATSLog.writing")
  let reading = DispatchQueue(label: "NATSLog.reading")
  let keeping = DispatchQueue(label: "NATSLog.keeping")
  let hasStream = Atomic(false)
  let reader = Mutex(Reader())

  // Sound: the client's functions may be called from any thread, and these two are set once.
  private nonisolated(unsafe) let connection: OpaquePointer
  nonisolated(unsafe) let stream: OpaquePointer

  struct Reader: ~Copyable {
    var subscription: UInt = 0
    var next = 0
    var log = ""
  }

  /// Connects; servers that are not there yet are tried until they are.
  ///
  /// - Parameters:
  ///   - servers: such as `nats://127.0.0.1:4222`. Any that answers will do.
  ///   - name: of the stream, and of the bucket for its snapshots: letters, digits and `-`.
  ///   - replicas: on how many servers the log is kept; 3 stand the loss of one.
  /// - Throws: ``LogError/cut(_:)`` if an address is no address.
  public init(servers: [String], name: String, replicas: Int = 3) throws(LogError) {
    self.name = name
    self.replicas = replicas
    connection = try Self.connect(to: servers)
    var stream: OpaquePointer?
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Wait = 3_000
    try check(natsConnection_JetStream(&stream, connection, &options))
    self.stream = stream!
  }

  deinit {
    if reader.withLock({ $0.subscription }) != 0 { unsubscribe() }
    jsCtx_Destroy(stream)
    natsConnection_Destroy(connection)
  }

  private static func connect(to servers: [String]) throws(LogError) -> OpaquePointer {
    var options: OpaquePointer?
    try check(natsOptions_Create(&options))
    defer { natsOptions_Destroy(options) }
    try withCStrings(servers) { natsOptions_SetServers(options, $0, Int32(servers.count)) }
    // Without a function to call, connecting would block until a server is there.
    natsOptions_SetRetryOnFailedConnect(options, true, { _, _ in }, nil)
    natsOptions_SetTimeout(options, 1_000)
    natsOptions_SetMaxReconnect(options, -1)
    natsOptions_SetReconnectWait(options, 100)
    natsOptions_SetReconnectBufSize(options, 0)
    natsOptions_SetFailRequestsOnDisconnect(options, true)
    natsOptions_SetPingInterval(options, 1_000)
    natsOptions_SetMaxPingsOut(options, 2)
    var connection: OpaquePointer?
    let status = natsConnection_Connect(&connection, options)
    if status != NATS_NOT_YET_CONNECTED { try check(status) }
    return connection!
  }

  /// Runs what blocks on a queue of its own.
  func on<Value: Sendable>(
    _ queue: DispatchQueue, _ body: @escaping @Sendable () throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    try await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result { () throws(LogError) in try body() }) }
    }.get()
  }

  var subject: String { "glue.\(name)" }
}

extension NATSLog {
  /// Appends by publishing, and waits for the servers' word that a majority has it.
  public func append(
    _ entry: [UInt8], within limit: Duration
  ) async throws(LogError) -> Position {
    try await on(writing) { () throws(LogError) in
      do { try self.ensureStream() } catch { throw .refused("\(error)") }
      var options = jsPubOptions()
      jsPubOptions_Init(&options)
      options.MaxWait = max(1, limit.milliseconds)
      var acknowledgement: UnsafeMutablePointer<jsPubAck>?
      let status = entry.withUnsafeBytes {
        js_Publish(
          &acknowledgement, self.stream, self.subject, $0.baseAddress, Int32($0.count), &options,
          nil)
      }
      defer { jsPubAck_Destroy(acknowledgement) }
      switch status {
      case NATS_OK: return Position(acknowledgement!.pointee.Sequence)
      // Nothing was sent, or nobody was there to take it.
      case NATS_INSUFFICIENT_BUFFER, NATS_NO_RESPONDERS: throw .refused(text(of: status))
      default: throw .unknown(text(of: status))
      }
    }
  }
}

func check(_ status: natsStatus) throws(LogError) {
  if status != NATS_OK { throw .cut(text(of: status)) }
}

func text(of status: natsStatus) -> String {
  status == NATS_INSUFFICIENT_BUFFER
    ? "NATS: not connected" : "NATS: " + String(cString: natsStatus_GetText(status))
}

@discardableResult
func withCString<Value>(
  _ string: String, _ body: (UnsafePointer<CChar>) -> Value
) -> Value {
  string.withCString(body)
}

private func withCStrings(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> natsStatus
) throws(LogError) {
  var copies: [UnsafePointer<CChar>?] = strings.map { UnsafePointer(strdup($0)) }
  defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
  let status = copies.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  try check(status)
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
