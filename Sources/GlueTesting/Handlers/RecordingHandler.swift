public import Glue

/// An effect handler that only records its effects, and replies with intents.
///
///     let sounds = RecordingHandler<AppEffect>()
///     store.add(effectHandler: sounds)
///     store.dispatch(AppIntent.increment)
///     #expect(sounds.effects == [.playSound])
///
/// With a reply it is a stub: `RecordingHandler { (_: SearchEffect) in [SearchIntent.found([])] }`.
/// It gets scheduled effects when they start, without their policies. One of `any Effect` gets all.
///
/// Any thread may use it, and several stores at once.
public final class RecordingHandler<Handled: Sendable>: EffectHandler, Sendable {
  private let recorded = Locked<[Handled]>([])
  private let reply: @Sendable (Handled) -> [any Intent]

  /// Creates a handler without records.
  ///
  /// - Parameter reply: returns the intents to dispatch for an effect, in order, at once.
  public init(reply: @escaping @Sendable (Handled) -> [any Intent] = { _ in [] }) {
    self.reply = reply
  }

  /// The effects so far, in the order in which the store has delivered them (G3).
  public var effects: [Handled] { recorded.withLock { $0 } }

  /// Records an effect and dispatches the reply to it.
  ///
  /// - Parameters:
  ///   - effect: the effect that a reducer returned.
  ///   - dispatch: sends the reply to the store.
  public func handle(effect: Handled, dispatch: @escaping DispatchFunc) {
    recorded.withLock { $0.append(effect) }
    for intent in reply(effect) { dispatch(intent) }
  }
}
