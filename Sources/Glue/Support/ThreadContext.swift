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
/// Deferred work can use a store, which defers more, and so on. Each thread does it in one loop, to
/// which nested calls only add, so chains of it use constant stack (G5).
final class ThreadContext {
  /// The call of a middleware chain that this thread is making for an effect, if any.
  var middlewareCall: MiddlewareCall?

  /// The record of the reduction on this thread, in debug builds.
  var recognition = Recognition()

  /// What was deferred, and the releases among it that come after the actions.
  private var pending: [Deferred] = []
  private var releases: [Deferred] = []

  private var isActing = false
  private var isReleasing = false

  /// Takes over everything that a critical section has deferred, and keeps its buffer if there is
  /// none.
  func take(_ deferred: inout [Deferred]) {
    if pending.isEmpty { return swap(&pending, &deferred) }
    pending += deferred
    deferred = []
  }

  /// Does the pending work; no lock may be held.
  ///
  /// A call from an action leaves all to the outer one, and a call from a deinit the releases.
  ///
  /// - Complexity: O(1) for each deferred work.
  func finish() {
    if isActing { return }
    if !pending.isEmpty { act() }
    if releases.isEmpty || isReleasing { return }
    isReleasing = true
    var values: [Deferred] = []
    while !releases.isEmpty {
      swap(&values, &releases)
      ThreadContext.release(&values)
    }
    if releases.capacity == 0 { swap(&releases, &values) }
    isReleasing = false
  }

  /// Releases values now, or in the outer call if one is finishing.
  func release<Value: Sendable>(_ values: inout [Value]) {
    if isReleasing || !pending.isEmpty {
      pending.append(.release(values))
      values = []
    } else {
      isReleasing = true
      ThreadContext.clear(&values)
      isReleasing = false
    }
    finish()
  }

  /// Does the pending actions, and those that they add, and keeps the releases for later.
  private func act() {
    isActing = true
    while !pending.isEmpty {
      if releases.isEmpty, pending.allSatisfy(\.isRelease) {
        swap(&releases, &pending)
        break
      }
      var batch: [Deferred] = []
      swap(&batch, &pending)
      for deferred in batch {
        switch deferred {
        case .cancel(let task): task.cancel()
        case .complete(let completion): completion.complete()
        case .call(let body): body()
        case .release: releases.append(deferred)
        }
      }
    }
    isActing = false
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
