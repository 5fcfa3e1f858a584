/// The context of the calling thread, whose number is `thread`.
@inline(__always)
func context(of thread: ThreadID) -> ThreadContext {
  // Sound: the number is the address of the object, which the thread keeps until it ends.
  unsafeBitCast(thread, to: ThreadContext.self)
}

/// Work that a critical section leaves until after unlocking, because it can run user code (G6).
@usableFromInline
enum Deferred: Sendable {
  case cancel(Task<Void, Never>)
  case complete(Completion)
  case call(@Sendable () -> Void)
  case release(any Sendable)
}

/// A call of a store's middleware with an intent that an effect's handler dispatched.
///
/// The chain's functions can't pass the origin on, so the thread keeps it for as long as the call
/// lasts. On another thread, or later, an intent comes from outside.
struct MiddlewareCall {
  let store: ObjectIdentifier

  /// An `Origin`.
  let origin: AnyObject
}

/// The library's data of a thread.
///
/// Releasing a value can run a deinit that uses a store, which defers more, and so on. Each thread
/// finishes deferred work in one loop, so a chain of deinits uses constant stack (G5).
final class ThreadContext {
  /// The call of a middleware chain that this thread is making for an effect, if any.
  var middlewareCall: MiddlewareCall?

  /// The record of the reduction on this thread, in debug builds.
  var recognition = Recognition()

  private var pending: [Deferred] = []
  private var isFinishing = false

  /// Takes over everything that a critical section has deferred, and keeps its buffer if there is
  /// none.
  func take(_ deferred: inout [Deferred]) {
    if pending.isEmpty { return swap(&pending, &deferred) }
    pending += deferred
    deferred = []
  }

  /// Does the pending work; no lock may be held.
  ///
  /// A nested call leaves releases to the outer one.
  func finish() {
    if pending.isEmpty { return }
    act()
    if isFinishing || pending.isEmpty { return }
    isFinishing = true
    var values: [Deferred] = []
    repeat {
      swap(&values, &pending)
      ThreadContext.release(&values)
    } while !pending.isEmpty
    if pending.capacity == 0 { swap(&pending, &values) }
    isFinishing = false
  }

  /// Releases values now, or in the outer call if one is finishing.
  func release<Value: Sendable>(_ values: inout [Value]) {
    if isFinishing || !pending.isEmpty {
      pending.append(.release(values))
      values = []
    } else {
      isFinishing = true
      ThreadContext.clear(&values)
      isFinishing = false
    }
    finish()
  }

  private func act() {
    if pending.allSatisfy(\.isRelease) { return }
    // A copy that held the releases too would make them where it ends, outside of the loop.
    let actions = pending.filter { !$0.isRelease }
    pending.removeAll { !$0.isRelease }
    for deferred in actions {
      switch deferred {
      case .cancel(let task): task.cancel()
      case .complete(let completion): completion.complete()
      case .call(let body): body()
      case .release: break
      }
    }
  }

  /// Not inlined: the optimizer could move the releases to before `isFinishing` is set.
  @inline(never)
  private static func release(_ values: inout [Deferred]) {
    values.removeAll(keepingCapacity: values.count <= 64)
  }

  @inline(never)
  private static func clear<Value>(_ values: inout [Value]) { values = [] }
}

extension Deferred {
  fileprivate var isRelease: Bool {
    if case .release = self { true } else { false }
  }
}

/// Does the work deferred on `thread`, the calling one; no lock may be held.
@usableFromInline
func finishDeferred(on thread: ThreadID) {
  context(of: thread).finish()
}

/// Releases values, of which these may be the last references; no lock may be held.
@usableFromInline
package func release<Value: Sendable>(_ values: inout [Value]) {
  context(of: currentThread()).release(&values)
}
