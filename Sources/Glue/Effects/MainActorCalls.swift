internal import Dispatch
internal import Synchronization

/// The calls of a store that the main actor makes, in one order.
///
/// A delivery on the main queue makes its call at once if no earlier call waits. Otherwise the call
/// waits for one task of the main actor, which makes all waiting calls.
@usableFromInline
final class MainActorCalls: Sendable {
  private struct WaitingCall: Sendable {
    /// The type of the effect or the value that user code gets.
    let subject: Any.Type
    let make: @MainActor @Sendable () -> Void
  }

  private struct Queue {
    var waiting: [WaitingCall] = []

    /// Whether a task makes calls, or will.
    ///
    /// Meanwhile no other code makes any, not even for a dispatch inside such a call: that delivery
    /// would be nested in it.
    var hasTask = false
  }

  private let queue = Locked(Queue())

  /// How many moved calls have begun, and how many have returned, in all; only the main actor adds.
  private let steps = Atomic(0)

  /// How many notices wait.
  private let notices = Atomic(0)

  /// Marks a call as in flight, for as long as the returned object is held.
  private let begin: @Sendable () -> CallInFlight?

  #if DEBUG
    /// Looks for slow calls among those that waited.
    ///
    /// Sound: it is set before the first call, and only the main actor uses it.
    nonisolated(unsafe) var slowCalls: SlowCalls?
  #endif

  /// Owns the clock of a store in a simulation, which has a main actor of its own.
  private let owner: (any OwnedClock)?

  init(owner: (any OwnedClock)?, begin: @escaping @Sendable () -> CallInFlight?) {
    (self.owner, self.begin) = (owner, begin)
  }

  /// Whether the drainer may make a call at once.
  ///
  /// It stays true until the drainer moves a call, because no other code does.
  var areMadeAtOnce: Bool { isOnMainActor && !queue.withLock { $0.hasTask } }

  private var isOnMainActor: Bool { owner?.isOnMainActor() ?? isOnMainQueue() }

  func make(of subject: Any.Type, _ call: @escaping @MainActor @Sendable () -> Void) {
    if areMadeAtOnce { makeAtOnce(call) } else { move(of: subject, call) }
  }

  /// Makes a call on the main queue.
  ///
  /// The bit cast is sound because a function's isolation is no part of its representation;
  /// `MainActor.assumeIsolated` does the same. That isn't used because it checks again where it
  /// runs, in ways that have varied. On Linux the main actor leaves the main thread when an
  /// asynchronous `main` is first suspended.
  func makeAtOnce(_ call: @escaping @MainActor @Sendable () -> Void) {
    unsafeBitCast(call, to: (@Sendable () -> Void).self)()
  }

  /// Leaves a call to the task that makes the waiting ones.
  ///
  /// The task is detached because it makes other calls as well: the task-local values of the first
  /// call's task don't apply to them.
  func move(of subject: Any.Type, _ call: @escaping @MainActor @Sendable () -> Void) {
    let moved = begin()
    let isFirst = queue.withLock { queue in
      queue.waiting.append(WaitingCall(subject: subject) { withExtendedLifetime(moved) { call() } })
      defer { queue.hasTask = true }
      return !queue.hasTask
    }
    if isFirst { Task.detached(operation: makeWaiting) }
  }

  /// Runs a notice to observers on the main actor, in no order with the calls.
  func notify(_ body: @escaping @MainActor @Sendable () -> Void) {
    notices.add(1, ordering: .relaxed)
    Task { @MainActor in
      notices.subtract(1, ordering: .relaxed)
      steps.add(2, ordering: .relaxed)
      body()
    }
  }

  /// A number that stays the same until a waiting call or notice begins; nil if none waits, or a call
  /// is being made.
  var waiting: Int? {
    let steps = steps.load(ordering: .relaxed)
    if !steps.isMultiple(of: 2) { return nil }
    let waits = notices.load(ordering: .relaxed) > 0 || queue.withLock { $0.hasTask }
    return waits ? steps : nil
  }

  /// Makes the waiting calls, then yields the main actor before it makes newer ones.
  @MainActor
  private func makeWaiting() async {
    var calls = takeWaiting()
    while !calls.isEmpty {
      while let call = calls.popLast() { make(call) }
      calls = takeWaiting()
      if !calls.isEmpty { await Task.yield() }
    }
  }

  @MainActor
  private func make(_ call: WaitingCall) {
    #if DEBUG
      slowCalls?.begin(call.subject)
      defer { slowCalls?.end() }
    #endif
    steps.add(1, ordering: .relaxed)
    call.make()
    steps.add(1, ordering: .relaxed)
  }

  /// Takes the waiting calls, the last one first; if there are none, the task has ended.
  private func takeWaiting() -> [WaitingCall] {
    queue.withLock { queue in
      queue.hasTask = !queue.waiting.isEmpty
      defer { queue.waiting = [] }
      return queue.waiting.reversed()
    }
  }
}

/// Whether the caller runs on the main queue, as the main actor does.
package func isOnMainQueue() -> Bool {
  DispatchQueue.getSpecific(key: mainQueueKey) != nil
}

private let mainQueueKey = {
  let key = DispatchSpecificKey<Void>()
  DispatchQueue.main.setSpecific(key: key, value: ())
  return key
}()
