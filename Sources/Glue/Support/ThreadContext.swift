/// The context of the calling thread, whose number is `thread`.
@inline(__always)
func context(of thread: ThreadID) -> ThreadContext {
  // Sound: the number is the address of the object, which the thread keeps until it ends.
  unsafeBitCast(thread, to: ThreadContext.self)
}

/// Work that a critical section leaves until after unlocking, because it can run user code (G6).
@usableFromInline
struct Deferred: Sendable {
  @usableFromInline
  enum Action: Sendable {
    case cancel(Task<Void, Never>)
    case call(@Sendable () -> Void)
  }

  /// The waits to end, before the actions.
  @usableFromInline var completions: [Completion] = []

  @usableFromInline var actions: [Action] = []

  /// The values to release, after the actions.
  @usableFromInline var releases: [any Sendable] = []

  @usableFromInline
  init() {}

  /// Whether there is nothing but waits to end, of which there are none without a ``Waiter``.
  @_alwaysEmitIntoClient var isEmpty: Bool {
    @inline(__always) get { actions.isEmpty && releases.isEmpty }
  }

  /// Takes over what another one holds, and gives it the empty buffers.
  mutating func take(_ other: inout Deferred) {
    if !other.completions.isEmpty { completions += other.completions.taken() }
    if actions.isEmpty { swap(&actions, &other.actions) } else { actions += other.actions.taken() }
    if releases.isEmpty {
      swap(&releases, &other.releases)
    } else {
      releases += other.releases.taken()
    }
  }
}

extension Array {
  fileprivate mutating func taken() -> [Element] {
    defer { self = [] }
    return self
  }
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

  private var pending = Deferred()
  private var isActing = false
  private var isReleasing = false

  /// Takes over everything that a critical section has deferred.
  ///
  /// Not inlined, so that the check for whether there is anything is.
  @inline(never)
  func take(_ deferred: inout Deferred) { pending.take(&deferred) }

  /// Does the pending work; no lock may be held.
  ///
  /// Waits end at once, because that runs no user code here: an action may run a long chain of
  /// deliveries, and others wait for some of them. A call from an action leaves the rest to the outer
  /// one, and a call from a deinit leaves it the releases.
  ///
  /// - Complexity: O(1) for each deferred work.
  func finish() {
    if !pending.completions.isEmpty {
      for completion in pending.completions.taken() { completion.complete() }
    }
    if isActing { return }
    if !pending.actions.isEmpty { act() }
    if pending.releases.isEmpty || isReleasing { return }
    isReleasing = true
    var values: [any Sendable] = []
    repeat {
      swap(&values, &pending.releases)
      ThreadContext.release(&values)
    } while !pending.releases.isEmpty
    if pending.releases.capacity == 0 { swap(&values, &pending.releases) }
    isReleasing = false
  }

  /// Releases values now, or in the outer call if one is finishing.
  func release<Value: Sendable>(_ values: inout [Value]) {
    if isReleasing || !pending.isEmpty {
      pending.releases.append(values)
      values = []
    } else {
      isReleasing = true
      ThreadContext.clear(&values)
      isReleasing = false
    }
    finish()
  }

  /// Does the pending actions, and those that they add.
  private func act() {
    isActing = true
    while !pending.actions.isEmpty {
      for action in pending.actions.taken() {
        switch action {
        case .cancel(let task): task.cancel()
        case .call(let body): body()
        }
      }
    }
    isActing = false
  }

  /// Not inlined, because the optimizer could move the releases to before `isReleasing` is set.
  ///
  /// A deinit that uses a store would then release more inside this call, so a chain of such
  /// deinits would overflow the stack (G5).
  @inline(never)
  private static func release(_ values: inout [any Sendable]) {
    values.removeAll(keepingCapacity: values.count <= 64)
  }

  /// Not inlined, for the same reason.
  @inline(never)
  private static func clear<Value>(_ values: inout [Value]) { values = [] }
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
