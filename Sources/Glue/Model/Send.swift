/// An effect whose work the store does itself: it dispatches an intent.
///
/// Scheduled, it is an intent that is sent later, for which no handler is needed:
///
///     return [Send(AppIntent.reset).scheduled(.delay(.seconds(2)), id: "reset")]
///
/// The intent goes the way of every intent, through the middleware, with this effect as its cause.
/// No handler gets it, and a store without handlers does it too. A reducer whose result is one type
/// of effects cannot return it, nor scheduled effects, nor ``CancelEffects``: it returns
/// `[any Effect]` then.
///
/// Two are equal if their intents are; intents that are not `Equatable` are not. (A test compares the
/// parts of these, as it does with all that is not `Equatable`.)
public struct Send: Effect, Equatable {
  /// What is dispatched.
  public let intent: any Intent

  /// Names the intent to dispatch.
  public init(_ intent: any Intent) {
    self.intent = intent
  }

  /// Compares the intents.
  public static func == (a: Send, b: Send) -> Bool { areEqual(a.intent, b.intent) }
}
