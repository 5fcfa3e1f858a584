internal import Synchronization

/// The origin of an intent: an effect, or a call that waits for everything its intent causes.
///
/// Most effects are an ``EffectRun``, which is their origin itself: an object of its own would cost
/// each of them an allocation.
///
/// `@unchecked Sendable` is sound because its variables are used under its store's lock alone, or
/// are atomic.
@usableFromInline
class Origin: @unchecked Sendable {
  @usableFromInline final let cause: Cause

  /// Dispatches for an effect; nil where a call waits instead.
  fileprivate final let hostOfEffect: EffectHost?
  private final let canceled = Atomic(false)

  /// The part whose effect it is; nil for the whole.
  @usableFromInline final let part: PartEffect?

  /// The scope of which its next intent is a part; nil once that has ended.
  @exclusivity(unchecked) @usableFromInline final var scope: PerformScope?

  /// Whether it began as part of a perform scope.
  final let isScoped: Bool

  /// Whether an effect's handler dispatches with it, and not a call that waits.
  @usableFromInline final var isOfEffect: Bool { hostOfEffect != nil }

  @usableFromInline
  init(
    cause: Cause, scope: PerformScope? = nil, host: EffectHost? = nil, part: PartEffect? = nil
  ) {
    self.cause = cause
    hostOfEffect = host
    self.part = part
    self.scope = scope
    isScoped = scope != nil
  }

  /// Whether its intents are dropped from now on (G11); changed under the store's lock.
  @usableFromInline
  final var isCancelled: Bool { canceled.load(ordering: .acquiring) }

  /// Dispatches for an effect.
  ///
  /// Its closure captures only this object, so none is allocated.
  @usableFromInline
  final var dispatch: DispatchFunc { { self.hostOfEffect?.dispatch($0, from: self) } }

  /// Drops its intents from now on.
  final func dropIntents() {
    canceled.store(true, ordering: .releasing)
  }
}

extension EffectRun {
  /// Its host, which it has from the start.
  var host: EffectHost { hostOfEffect! }
}

/// Everything that an intent causes; deinit says that all of it has finished.
///
/// The queued deliveries, effects and tasks that it caused hold it, so dropped, replaced and
/// canceled work counts as finished without a counter.
@usableFromInline
final class PerformScope: Sendable {
  private let completion: Completion

  /// The effect whose task waits for this, if that is known to do nothing else meanwhile.
  private let awaitingEffect: EffectRun?

  init(_ completion: Completion, awaitedBy effect: EffectRun? = nil) {
    self.completion = completion
    awaitingEffect = effect
  }

  deinit { completion.complete() }

  /// Whether a running effect of a group waits for this; called under the store's lock.
  func isAwaited(in group: EffectGroup) -> Bool {
    var scope: PerformScope? = self
    while let effect = scope?.awaitingEffect {
      if effect.phase.hasStarted && effect.group === group { return true }
      scope = effect.scope
    }
    return false
  }
}
