internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Darwin
#endif

/// Held while lines are written, so that those of several threads do not mix.
private let turn = Mutex(())

/// Writes lines to standard error.
///
/// What cannot be written is lost: there is nowhere else to say so.
func writeToStandardError(_ lines: String) {
  let bytes = Array((lines + "\n").utf8)
  turn.withLock { _ in bytes.withUnsafeBytes { writeAll($0) } }
}

private func writeAll(_ bytes: UnsafeRawBufferPointer) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = write(STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if count < 0 && errno == EINTR { continue }
    if count <= 0 { return }
    rest = rest.dropFirst(count)
  }
}
