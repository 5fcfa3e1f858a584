/// A clock whose owner, a test or a simulated machine, runs what a store leaves to the system: tasks,
/// queues and other threads.
///
/// The only seam between a store and its simulation. A clock that owns less keeps the defaults.
package protocol OwnedClock: AnyObject, Sendable {
  /// The executor of the tasks of effects, and of calls that wait.
  var executor: any TaskExecutor { get }

  /// Makes a function that runs bodies later, one after the other and in order, perhaps on the main
  /// actor; nil if queues do.
  var makeQueue: (@Sendable (_ isMain: Bool) -> Posting)? { get }

  /// Whether the calling thread runs the owner's main actor.
  func isOnMainActor() -> Bool

  /// Decides whether a call leaves its immediate deliveries to another thread.
  func leavesDelivery() -> Bool

  /// A random number.
  func number() -> UInt64

  /// Records that the current task begins to work for an effect.
  func note(_ effect: any Effect)

  /// Records that the current task's work for an effect has ended.
  func noteEnd()

  /// Waits for a completion, or until all tasks rest and nothing wakes one.
  ///
  /// - Parameters:
  ///   - completion: is completed in both cases.
  ///   - call: the name of the call that waits.
  ///   - unended: those effects of the store that haven't ended.
  nonisolated(nonsending) func wait(
    for completion: Completion, of call: String, unended: () -> [EffectInFlight]) async
}

extension OwnedClock {
  package var makeQueue: (@Sendable (_ isMain: Bool) -> Posting)? { nil }
  package func isOnMainActor() -> Bool { isOnMainQueue() }
  package func leavesDelivery() -> Bool { false }
  package func number() -> UInt64 { .random(in: .min ... .max) }
  package func note(_ effect: any Effect) {}
  package func noteEnd() {}

  package nonisolated(nonsending) func wait(
    for completion: Completion, of call: String, unended: () -> [EffectInFlight]
  ) async {
    await completion.wait()
  }
}

/// Runs a body later.
package typealias Posting = @Sendable (_ body: @escaping @Sendable () -> Void) -> Void

/// Never releases what the calling thread has deferred, nor gives its number to another thread.
///
/// A simulated process that is killed ends its thread so: its deinits must not run, and the locks
/// that it held stay its own.
package func abandonThread() { _ = Unmanaged.passRetained(context(of: currentThread())) }
