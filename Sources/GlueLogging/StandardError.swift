import Glue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// Held while lines are written, so that those of several threads don't mix.
private let turn = Locked(())

/// Writes lines to standard error.
///
/// Lines that can't be written are lost, because there is no other place to report it.
package func writeToStandardError(_ lines: String) {
  let bytes = Array((lines + "\n").utf8)
  turn.withLock { _ in
    withoutBrokenPipeSignal { bytes.withUnsafeBytes { writeToStandardError($0) } }
  }
}

/// Writes bytes to standard error, all that can be written.
private func writeToStandardError(_ bytes: UnsafeRawBufferPointer) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = write(STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if count < 0 && errno == EINTR { continue }
    if count <= 0 { return }
    rest = rest.dropFirst(count)
  }
}

/// Runs a body that writes: a pipe without a reader then ends only the writing, instead of the
/// program by a signal.
///
/// The signal is blocked on the calling thread meanwhile, and consumed if the body has caused it.
/// How the program and its other threads handle it doesn't change.
private func withoutBrokenPipeSignal(_ body: () -> Void) {
  var pipe = sigset_t()
  var mask = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  let wasPending = isBrokenPipePending()
  pthread_sigmask(SIG_BLOCK, &pipe, &mask)
  body()
  var signal: Int32 = 0
  if !wasPending, isBrokenPipePending() { sigwait(&pipe, &signal) }
  pthread_sigmask(SIG_SETMASK, &mask, nil)
}

private func isBrokenPipePending() -> Bool {
  var pending = sigset_t()
  sigemptyset(&pending)
  sigpending(&pending)
  return sigismember(&pending, SIGPIPE) == 1
}
