/// Observes every commit of a store, in order: for logs, recordings and tests.
///
/// A monitor is called where the store delivers, before the notifications and effects of the same
/// commit. It may do what a subscriber may (G3 to G6): no lock is held, and calls never overlap
/// with the store's other deliveries. It gets the state before and after each commit, so a store
/// with a monitor copies what an intent changes (G10). A store without one pays nothing.
///
///     final class Recorder<State: Sendable>: Monitor {
///       func observe(_ commit: Commit<State>) { save(commit.intent) }
///     }
///
///     let store = Store(state: AppState(), reducer: reducer, monitors: [Recorder()])
public protocol Monitor<State>: Sendable {
  /// The state of the stores that it can observe.
  associatedtype State: Sendable

  /// Observes a commit.
  ///
  /// - Parameter commit: the intent and its results.
  func observe(_ commit: Commit<State>)
}

/// A monitor that also observes effects' events, in order with the commits.
package protocol EffectMonitor<State>: Monitor {
  func observe(_ event: EffectEvent)
}

/// A change of an effect's state, for monitors that watch effects.
@usableFromInline
package struct EffectEvent: Sendable {
  package enum Kind: Sendable {
    /// The store calls its handlers.
    case started

    /// Its handlers have returned.
    case ended

    /// The effect was canceled, dropped or replaced. If it had started, its end follows.
    case canceled
  }

  package let kind: Kind

  /// The effect's identity: the cause of the intents that it dispatches.
  package let cause: Cause

  /// The id of a lasting effect, because the cause has only its description.
  package let lastingID: (any Hashable & Sendable)?
  package let time: ContinuousClock.Instant
}

/// A reduced intent and its results.
public struct Commit<State: Sendable>: Sendable {
  /// The number of intents reduced so far, this one included: 1, 2, 3, and so on (G1).
  public let number: Int

  /// The reduced intent; if the reducer does not know its type, it changed nothing.
  public let intent: any Intent

  /// The cause of the intent.
  public let cause: Cause

  /// The effects that the reducer returned.
  public let effects: [any Effect]

  @usableFromInline let details: CommitDetails?

  /// The effects that last from this commit on, in the order in which the store's `lasting:`
  /// returned them.
  public var begunLastingEffects: [LastingEffect] { details?.began ?? [] }

  /// The effects that have ceased to last.
  public var ceasedLastingEffects: [LastingEffect] { details?.ceased ?? [] }

  /// The indices of those effects that have no handler.
  package var unhandled: [Int] { details?.unhandled ?? [] }

  /// The state before the intent.
  public let before: State

  /// The state that the intent led to.
  public let after: State

  @_alwaysEmitIntoClient
  package init(
    number: Int, intent: any Intent, cause: Cause, effects: [any Effect],
    details: CommitDetails? = nil, before: State, after: State
  ) {
    self.number = number
    self.intent = intent
    self.cause = cause
    self.effects = effects
    self.details = details
    self.before = before
    self.after = after
  }
}

/// The facts that few commits have; a class, so that the others carry one word for them.
@usableFromInline
package final class CommitDetails: Sendable {
  /// The lasting effects that it has started and stopped.
  let began: [LastingEffect]
  let ceased: [LastingEffect]

  /// The indices of the effects that have no handler.
  let unhandled: [Int]

  package init(began: [LastingEffect], ceased: [LastingEffect], unhandled: [Int] = []) {
    (self.began, self.ceased, self.unhandled) = (began, ceased, unhandled)
  }
}
