import Dispatch
import Foundation
import Glue
import Synchronization

struct Emission: Intent { let effects: @Sendable () -> [any Effect] }

/// Counts the intents.
func emitting(count: inout Int, intent: Emission) -> [any Effect] {
  count += 1
  return intent.effects()
}

extension Store<Int> {
  /// Dispatches an intent with effects that the store alone holds.
  func emit(_ effects: @escaping @Sendable () -> [any Effect]) {
    dispatch(Emission(effects: effects))
  }
}

/// An effect that runs a body when it is released.
struct Held: Effect {
  private final class OnDeinit: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
  }

  private let onDeinit: OnDeinit

  init(_ body: @escaping @Sendable () -> Void = {}) { onDeinit = OnDeinit(body) }
}

/// A clock on which nothing takes time, so that the same instructions run each time.
final class TimelessClock: Clock {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    time.withLock { $0 = max($0, deadline) }
  }
}

struct Idle: Effect, Hashable { let id: Int }

/// A store with a number of effects that run until they are canceled.
///
/// Each lies in a part of its own, the effect's id.
final class Crowd {
  let store = Store(state: 0, reducer: emitting)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts the effects; `onCancel` is called as one is canceled, with its id.
  init(of size: Int, onCancel: (@Sendable (Store<Int>, Int) -> Void)? = nil) {
    let begun = DispatchSemaphore(value: 0)
    store.on(Idle.self) { [weak store, ended] effect, _ async in
      await withTaskCancellationHandler {
        begun.signal()
        for await _ in AsyncStream<Never>.makeStream().stream {}
      } onCancel: { [weak store] in
        if let store { onCancel?(store, effect.id) }
      }
      ended.signal()
    }
    for id in 0..<size { store.emit { [Idle(id: id).scheduled(.latest, id: PartID(id, "idle"))] } }
    for _ in 0..<size { begun.wait() }
  }

  /// Waits until the handlers of as many effects have ended.
  func awaitEnds(of count: Int) {
    for _ in 0..<count { ended.wait() }
  }

  /// Waits, so that no task is left that counts for the next subject.
  ///
  /// A task must not hold this, because it would wait for itself.
  deinit {
    runBlocking { [store] in await store.shutdown() }
  }
}

/// Runs a body on a thread whose stack a chain would overflow that keeps 128 bytes a link.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
  let end = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    end.signal()
  }
  thread.stackSize = 512 << 10
  thread.start()
  end.wait()
}
