/// Something that a program most likely did not mean, and that would go unnoticed.
///
/// A store tells its `report:` each once, of a kind and a type. Without that, a debug build prints
/// it to standard error, and an optimized one does not look for problems:
///
///     let store = Store(state: App(), reducer: app, report: { logger.warning("\($0)") })
///
/// More cases may come: a `switch` should have a `default`.
///
/// `report` is called where a commit or a delivery has found the problem, on any thread, with no
/// lock held (G6).
public enum Problem: Hashable, Sendable, CustomStringConvertible {
  /// An effect was emitted whose type no handler handles, so nothing came of it.
  case unhandledEffect(type: String)

  /// An effect lasts whose type no asynchronous handler handles, so nothing runs.
  case unhandledLastingEffect(type: String)

  /// The handlers of a lasting effect of this type have returned although it is to last. They don't
  /// run it again unless it ceases, or becomes another effect, in between.
  case endedLastingEffect(type: String)

  /// An intent was reduced whose type no reducer knows, so it changed nothing.
  ///
  /// Debug builds look for these, everywhere in combined reducers. A reducer of your own that takes
  /// `any Intent` counts as one that knows all: beside it, nothing is found. A false alarm comes
  /// where a closure of yours reduces an intent and then calls a reducer of the library's making
  /// that doesn't know it.
  case unknownIntent(type: String, cure: String)

  /// A thunk has reached the reducer, as there is no ``thunkMiddleware()``.
  case unhandledThunk(type: String)

  /// The middleware at this index has had 100 intents and passed none on; found in debug builds.
  case silentMiddleware(index: Int)

  /// A synchronous handler of this type of effects, or a subscriber of this type of values, has held
  /// up deliveries for more than a second of the store's clock; found in debug builds.
  case slowDelivery(type: String)

  /// A ``CancelEffects`` named an id that only a lasting effect of this type has, which it does not
  /// concern.
  case cancellationOfLastingEffect(type: String)

  /// An effect with the policy ``EffectPolicy/replacing``, or one that is to last, has waited for 10 s
  /// of real time for a cancelled one of its id to return.
  case heldUpEffect(type: String)

  /// Effects that must happen were left by an earlier process, and nothing has called
  /// `resumeUnfinishedEffects()`, not within 10 s of real time, or not before the store's end.
  case unresumedEffect(type: String)

  /// More than 100,000 deliveries are queued.
  case growingOutbox

  /// The deliveries that one `dispatch` has caused have gone on for 1,000,000, with intents of these
  /// types at last: a handler and a reducer call one another for ever.
  case endlessDelivery(intents: [String])

  /// One line, which begins with "Glue: ".
  public var description: String {
    switch self {
    case .unhandledEffect(let type):
      "Glue: no handler handles \(type), so nobody performs this effect: add one for that type before "
        + "the first intent is dispatched."
    case .unhandledLastingEffect(let type):
      "Glue: no asynchronous handler handles \(type), so this lasting effect does nothing: add one "
        + "by on(\(type).self) { effect, dispatch async in … }."
    case .endedLastingEffect(let type):
      "Glue: all handlers of a lasting \(type) have returned although the state still names it: loop "
        + "until the task is cancelled, or dispatch an intent that changes this state."
    case .unknownIntent(let type, let cure):
      "Glue: \(type) reached no reducer; \(cure)."
    case .unhandledThunk(let type):
      "Glue: a \(type) reached the reducer, which cannot run it: make the store with middleware: "
        + "[thunkMiddleware()]."
    case .silentMiddleware(let index):
      "Glue: the middleware at index \(index) has had 100 intents and never called next, so none "
        + "reaches the reducer: call next(intent) for what it does not drop."
    case .slowDelivery(let type):
      "Glue: a synchronous handler or a subscriber of \(type) has held all deliveries up for more "
        + "than a second: work in an asynchronous handler, or subscribe on: a queue."
    case .cancellationOfLastingEffect(let type):
      "Glue: a CancelEffects has the id of a lasting \(type), which it does not cancel: change the "
        + "state that it lasts for."
    case .heldUpEffect(let type):
      "Glue: a \(type) has waited for 10 s to replace a cancelled effect of its id "
        + "that has not returned: have its handler heed its cancellation."
    case .unresumedEffect(let type):
      "Glue: a \(type) that must happen was left by an earlier process and waits: call the store's "
        + "resumeUnfinishedEffects() when the handlers are there."
    case .growingOutbox:
      "Glue: more than 100,000 deliveries are queued: intents come faster than subscribers and "
        + "handlers take them, so let producers await delivered() now and then."
    case .endlessDelivery(let intents):
      "Glue: one dispatch has caused 1,000,000 deliveries and goes on, by "
        + intents.joined(separator: ", ")
        + ": do a handler or a subscriber and the reducer cause one another for ever?"
    }
  }
}

extension Problem {
  /// How many deliveries of one call are too many.
  @usableFromInline static var manyDeliveries: Int { 1_000_000 }
}
