import CNATS
import Foundation
public import GlueCluster
import Synchronization

/// A log that is a stream of NATS JetStream, kept by Raft on several servers.
///
/// The C client blocks, so three queues make its calls: for appends, for reads, and for snapshots. It
/// calls nothing back.
///
/// - The reader is an ephemeral consumer with a start position and flow control. After any failure
///   the next read makes another one. The client's `Ordered` does that too, but the one of libnats
///   3.4.1 crashed while servers were killed, and would follow a stream that was deleted and made
///   again. A consumer whose server has gone is silent, so a reader that gets nothing asks the stream.
/// - A stream's positions have no gaps, because only its oldest messages are deleted.
/// - On several servers, one process alone makes the stream, by ``make(within:)``.
public final class NATSLog: Log {
  let nats: NATS
  let name: String
  let copies: Int
  let writing = DispatchQueue(label: "NATSLog.writing")
  let reading = DispatchQueue(label: "NATSLog.reading")
  let keeping = DispatchQueue(label: "NATSLog.keeping")
  let hasStream = Atomic(false)
  let reader = Mutex<(consumer: Consumer, next: Position)?>(nil)

  init(nats: NATS, name: String, copies: Int) {
    (self.nats, self.name, self.copies) = (nats, name, copies)
  }

  /// Makes a blocking call on a queue.
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
  /// Publishes the entry, and waits until a majority of the servers has it.
  public func append(
    _ entry: [UInt8], within limit: Duration
  ) async throws(LogError) -> Position {
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
      case NATS_OK: return Position(acknowledgement!.pointee.Sequence)
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

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
