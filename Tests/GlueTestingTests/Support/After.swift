import Dispatch

/// Does something after a queue has got to so many others.
func after(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  DispatchQueue.global().async { count == 0 ? body() : after(count - 1, body) }
}
