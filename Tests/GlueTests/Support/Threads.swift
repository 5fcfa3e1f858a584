import Dispatch
import Foundation

/// An event that an asynchronous test awaits until a thread reports it.
final class Signal: Sendable {
  private let happened = AsyncStream<Void>.makeStream()

  func send() {
    happened.continuation.yield()
    happened.continuation.finish()
  }

  func wait() async {
    for await _ in happened.stream {}
  }
}
