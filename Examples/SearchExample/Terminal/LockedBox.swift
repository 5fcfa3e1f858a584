import Foundation

/// A value that threads use one at a time.
///
/// Sound because the value is used with the lock held alone, and the lock has a place in memory of
/// its own as long as this lives. It is not a `Mutex`, whose slow path the thread sanitizer does
/// not see, nor one of Foundation's, which would make the linked program eight times as large.
final class LockedBox<Value: Sendable>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body(&value)
  }
}
