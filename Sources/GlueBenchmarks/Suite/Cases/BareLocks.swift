import Foundation
import Glue
import Synchronization

/// A counter behind only a lock.
protocol BareLock: Sendable {
  init()

  /// Adds 1 with the lock held, by the reducer that stores have.
  func add()

  var value: Int { get }
}

final class BareMutex: BareLock {
  private let locked = LockedReducer(Counter(), counter)

  func add() { locked.reduce(CounterIntent.add(1)) }

  var value: Int { locked.mutex.withLock { $0.value } }
}

/// The lock of the store.
final class BareStoreLock: BareLock {
  private let state = Locked(Counter())
  private let reducer: LockedReducer<Counter, any Intent>.Reduce = counter

  func add() { _ = state.withLock { reducer(&$0, CounterIntent.add(1)) } }

  var value: Int { state.withLock { $0.value } }
}

/// `@unchecked Sendable` is sound because the state is used only where the lock is held.
final class BarePthreadMutex: BareLock, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let reducer: LockedReducer<Counter, any Intent>.Reduce = counter
  private var state = Counter()

  init() { pthread_mutex_init(mutex, nil) }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func add() {
    pthread_mutex_lock(mutex)
    _ = reducer(&state, CounterIntent.add(1))
    pthread_mutex_unlock(mutex)
  }

  var value: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return state.value
  }
}
