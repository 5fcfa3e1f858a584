import Foundation

/// Waits for the next bytes of standard input and returns them; none at its end.
func readInput() throws(SystemError) -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count >= 0 { return Array(buffer.prefix(count)) }
    switch errno {
    case EINTR: continue
    case EAGAIN: _ = waitFor(reading: [STDIN_FILENO])
    default: throw SystemError("read standard input")
    }
  }
}

/// Waits until one of several descriptors can be read or written, or a time has passed.
///
/// - Parameters:
///   - reading: the descriptors to read. One that has failed is ready, and its use gives the error.
///   - writing: the descriptors to write; a negative one is never ready.
///   - milliseconds: the time to wait; a negative time is unlimited.
/// - Returns: those that are ready; none if the time has passed.
func waitFor(
  reading: [Int32], writing: Int32 = -1, milliseconds: Int32 = -1
) -> Set<Int32> {
  var polled = reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  polled.append(pollfd(fd: writing, events: Int16(POLLOUT), revents: 0))
  while poll(&polled, nfds_t(polled.count), milliseconds) < 0 && errno == EINTR {}
  return Set(polled.filter { $0.revents != 0 }.map(\.fd))
}
