#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Darwin
#endif

/// Runs a body that writes: a pipe that nobody reads any more then ends the writing alone, not the
/// program by a signal.
///
/// The signal is kept from the calling thread meanwhile, and taken if the body has caused it. How
/// the program and its other threads deal with it stays as it is.
func withoutBrokenPipeSignal(_ body: () -> Void) {
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
