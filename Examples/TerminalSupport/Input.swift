import Foundation

/// Waits for the next bytes of standard input and returns them; none at its end.
package func readInput() throws(SystemError) -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count >= 0 { return Array(buffer.prefix(count)) }
    switch errno {
    case EINTR: continue
    case EAGAIN: _ = wait(for: STDIN_FILENO, to: POLLIN)
    default: throw SystemError("read standard input")
    }
  }
}
