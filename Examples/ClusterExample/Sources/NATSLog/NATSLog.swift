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
/// - The reader is an ephemeral consumer with a start position and flow control, made anew at the
///   position that is wanted whenever anything is odd. That is the client's `Ordered` by hand: the
///   one of libnats 3.4.1 crashed while servers were killed, and would follow a stream that was made
///   anew. A synchronous reader doesn't hear that its server has gone, so one that hears nothing
///   asks the stream.
/// - A stream's positions have no gaps, because nothing is deleted from its middle.
/// - Where there are several servers one process alone makes the stream, by ``make(within:)``.
public final class NATSLog: Log {
  let nats: NATS
  let name: String
  let copies: Int
  let writing = DispatchQueue(label: "NATSLog.writing")
  let reading = DispatchQueue(label: "NATSLog.reading")
  let keeping = DispatchQueue(label: "NATSLog.keeping")
  let hasStream = Atomic(false)
  let reader = Mutex(Reader())

  struct Reader: ~Copyable {
    /// It keeps the connection that the subscription is of.
    var connection: Connection?
    var subscription: UInt = 0
    var next = 0
    var log = ""
  }

  init(nats: NATS, name: String, copies: Int) {
    (self.nats, self.name, self.copies) = (nats, name, copies)
  }

  deinit { unsubscribe() }

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
  ) async throws(LogError) -> LogPosition {
    try await on(writing) { () throws(LogError) in
      let connection: Connection
      do {
        connection = try self.nats.connection()
        try self.ensureStream(connection)
      } catch { throw .refused("\(error)") }
      var options = jsPubOptions()
      jsPubOptions_Init(&options)
      options.MaxWait = max(1, limit.milliseconds)
      var acknowledgement: UnsafeMutablePointer<jsPubAck>?
      let status = entry.withUnsafeBytes {
        js_Publish(
          &acknowledgement, connection.stream, self.subject, $0.baseAddress, Int32($0.count),
          &options, nil)
      }
      defer { jsPubAck_Destroy(acknowledgement) }
      switch status {
      case NATS_OK: return LogPosition(acknowledgement!.pointee.Sequence)
      // Nothing was sent, or no server was there to take it.
      case NATS_INSUFFICIENT_BUFFER, NATS_NO_RESPONDERS: throw .refused(text(of: status))
      default: throw .unknown(text(of: status))
      }
    }
  }
}

func check(_ status: natsStatus, _ connection: Connection? = nil) throws(LogError) {
  if status != NATS_OK { throw .cut(connection?.refusal ?? text(of: status)) }
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

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
