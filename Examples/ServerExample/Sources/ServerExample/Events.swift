import Foundation
import Glue
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// Encodes each list once, however many clients get it.
final class EventEncoder: Sendable {
  private let newest = Mutex<(list: TodoList, event: ByteBuffer)?>(nil)

  /// - Complexity: O(1) if the list is the same array as the one before.
  func event(of list: TodoList) throws -> ByteBuffer {
    try newest.withLock { newest in
      if let newest, newest.list == list { return newest.event }
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601  // as Hummingbird's
      let json = String(decoding: try encoder.encode(list), as: UTF8.self)
      let event = ByteBuffer(string: "retry: 1000\ndata: \(json)\n\n")
      newest = (list, event)
      return event
    }
  }
}

/// Writes an event for each value, for as long as the client listens and the server serves.
func eventStream<Values: AsyncSequence & Sendable>(
  of values: Values, to request: Request,
  event: @escaping @Sendable (Values.Element) throws -> ByteBuffer
) -> Response where Values.Failure == Never, Values.Element: Sendable {
  Response(
    status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
    body: ResponseBody { writer in
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        for await value in values.cancelOnGracefulShutdown() {
          try await writer.write(try event(value))
        }
      }
      try await writer.finish(nil)
    })
}
