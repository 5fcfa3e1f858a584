import Foundation
import Glue
import NIOCore
import ServiceLifecycle

/// Encodes the list once a commit, whoever is listening, and ends all event streams when it is told
/// to end.
struct EventService: Service {
  let store: Store<TaskList>
  let events: Newest<ByteBuffer>

  func run() async throws {
    defer { events.finish() }
    for await list in store.values().cancelOnGracefulShutdown() {
      events.publish(try event(of: list))
    }
  }
}

private func event(of list: TaskList) throws -> ByteBuffer {
  var event = ByteBuffer(string: "retry: 1000\ndata: ")
  event.writeBytes(try JSONEncoder().encode(list))
  event.writeString("\n\n")
  return event
}
