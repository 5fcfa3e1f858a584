/// Is told of every commit of a store, in order: for logs, recordings and tests.
///
/// A monitor is called where the store delivers, before the notifications and effects of the commit
/// that it is told of. It may do what a subscriber may (G3 to G6): no lock is held, and calls never
/// overlap with the store's other deliveries. It is given the state before and after each commit,
/// so a store that has a monitor copies what an intent changes (G10). A store without one pays
/// nothing.
///
///     final class Recorder<State: Sendable>: Monitor {
///       func observe(_ commit: Commit<State>) { save(commit.intent) }
///     }
///
///     let store = Store(state: AppState(), reducer: reducer, monitors: [Recorder()])
public protocol Monitor<State>: Sendable {
  /// The state of the stores that it can be told of.
  associatedtype State: Sendable

  /// Takes note of a commit.
  ///
  /// - Parameter commit: what happened.
  func observe(_ commit: Commit<State>)
}

/// A monitor that is also told what becomes of effects, in order with the commits.
package protocol EffectMonitor<State>: Monitor {
  func observe(_ event: EffectEvent)
}

/// An intent that was reduced, and what came of it.
public struct Commit<State: Sendable>: Sendable {
  /// How many intents the store had reduced with this one: 1, 2, 3, and so on (G1).
  public let number: Int

  /// What was reduced; if the reducer does not know its type, it changed nothing.
  public let intent: any Intent

  /// What the intent came from.
  public let cause: Cause

  /// What the reducer returned.
  public let effects: [any Effect]

  @usableFromInline let details: CommitDetails?

  /// The effects that last from this commit on, in the order in which the store's `lasting:` returned
  /// them.
  public var began: [LastingEffect] { details?.began ?? [] }

  /// The effects that do not last any more.
  public var ceased: [LastingEffect] { details?.ceased ?? [] }

  /// The indices of those effects that nobody handles.
  package var unhandled: [Int] { details?.unhandled ?? [] }

  /// The state before the intent.
  public let before: State

  /// The state that the intent led to.
  public let after: State

  @inlinable
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

/// What there is to be said of few commits, so that the others need not carry it.
@usableFromInline
package final class CommitDetails: Sendable {
  let began: [LastingEffect]
  let ceased: [LastingEffect]
  let unhandled: [Int]

  package init(began: [LastingEffect], ceased: [LastingEffect], unhandled: [Int] = []) {
    self.began = began
    self.ceased = ceased
    self.unhandled = unhandled
  }
}
