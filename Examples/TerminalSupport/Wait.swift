import Foundation

/// Waits until a descriptor can be read or written, or until an interruption can be read.
///
/// - Parameters:
///   - descriptor: what to wait for. One that has failed is ready: its use says how.
///   - events: `POLLIN` or `POLLOUT`.
///   - interruption: what ends the wait early; a negative descriptor never does.
/// - Returns: which of both are ready.
package func wait(
  for descriptor: Int32, to events: Int32, unless interruption: Int32 = -1
) -> (isReady: Bool, isInterrupted: Bool) {
  var polled = [
    pollfd(fd: descriptor, events: Int16(events), revents: 0),
    pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
  ]
  while poll(&polled, 2, -1) < 0 && errno == EINTR {}
  return (polled[0].revents != 0, polled[1].revents != 0)
}

/// Waits until one of several descriptors can be read, or a time is over.
///
/// - Parameters:
///   - descriptors: what to wait for. One that has failed is ready: its use says how.
///   - milliseconds: how long to wait; a negative time is without end.
/// - Returns: those that are ready; none if the time is over.
package func waitToRead(anyOf descriptors: [Int32], milliseconds: Int32 = -1) -> Set<Int32> {
  var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  while poll(&polled, nfds_t(polled.count), milliseconds) < 0 && errno == EINTR {}
  return Set(polled.filter { $0.revents != 0 }.map(\.fd))
}
