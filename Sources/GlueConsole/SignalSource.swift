import Dispatch
import Foundation

/// Calls a body at each signal of a kind, from its creation until it is canceled or released.
final class SignalSource: Sendable {
  private let number: Int32

  // Sound: it is set once, and its methods may be called from any thread.
  private nonisolated(unsafe) let source: any DispatchSourceSignal

  init(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
    self.number = number
    #if !os(Linux)
      signal(number, SIG_IGN)
    #endif
    source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler(handler: body)
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { registered.signal() }
    source.activate()
    registered.wait()
  }

  deinit { cancel() }

  /// Restores the signal's default action.
  func cancel() {
    if source.isCancelled { return }
    source.cancel()
    signal(number, SIG_DFL)
  }
}

/// Performs a signal's default action on this program, before this returns: stops it, or ends it.
///
/// The thread takes the signal itself, because a queue's threads block signals.
///
/// - Parameter number: such as `SIGTSTP`.
public func takeDefaultAction(of number: Int32) {
  takeDefaultAction(of: number) { raise(number) }
}

/// Does so at a signal that a body sends.
func takeDefaultAction(of number: Int32, by cause: () -> Void) {
  var (signals, mask) = (sigset_t(), sigset_t())
  sigemptyset(&signals)
  sigaddset(&signals, number)
  let handler = signal(number, SIG_DFL)
  pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
  cause()
  pthread_sigmask(SIG_SETMASK, &mask, nil)
  signal(number, handler)
}
