import Foundation

@testable import Glue

/// Threads that take turns on one real thread: to the library another thread is another context.
///
/// So one can make a call while another one delivers, at exactly that point, without any
/// waiting. It must return without waiting for the other, which is what a store promises.
final class VirtualThreads {
  private let contexts: [Unmanaged<ThreadContext>]

  /// The running thread; the last one runs where no other does.
  private(set) var current: Int

  init(_ count: Int) {
    contexts = (0...count).map { _ in .passRetained(ThreadContext()) }
    current = count
  }

  deinit {
    for context in contexts { context.release() }
  }

  /// Runs a body on one of them.
  func on(_ thread: Int, _ body: () -> Void) {
    let (old, real) = (current, pthread_getspecific(contextKey))
    current = thread
    pthread_setspecific(contextKey, contexts[thread].toOpaque())
    body()
    pthread_setspecific(contextKey, real)
    current = old
  }
}
