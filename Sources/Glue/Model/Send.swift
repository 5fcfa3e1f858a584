/// An effect that the store performs: it dispatches an intent.
///
/// Scheduled, it sends an intent later, without a handler:
///
///     return [Send(AppIntent.reset).scheduled(.delay(.seconds(2)), id: "reset")]
///
/// The intent passes through the middleware like every intent, with this effect as its cause. No
/// handler gets it, and it works in a store without handlers. A reducer whose result is a single
/// type of effects can return neither it, nor scheduled effects, nor ``CancelEffects``: to do so,
/// it returns `[any Effect]`.
///
/// Two are equal if their intents are; intents that are not `Equatable` never are. (A test compares
/// their parts, as it does for all values that are not `Equatable`.)
public struct Send: Effect, Equatable {
  /// The intent that the store dispatches.
  public let intent: any Intent

  /// Names the intent to dispatch.
  public init(_ intent: any Intent) {
    self.intent = intent
  }

  /// Compares the intents.
  public static func == (a: Send, b: Send) -> Bool { areEqual(a.intent, b.intent) }
}
