/// A likely mistake in a program that would otherwise go unnoticed.
///
/// A store reports each problem once, for each kind and type, to its `report:`. Without one, a
/// debug build prints it to standard error, and an optimized build doesn't look for problems:
///
///     let store = Store(state: App(), reducer: app, report: { logger.warning("\($0)") })
///
/// More cases may come: a `switch` should have a `default`.
///
/// A commit or a delivery that has found the problem calls `report`, on any thread, with no lock
/// held (G6).
public enum Problem: Hashable, Sendable, CustomStringConvertible {
  /// No handler handles the type of an emitted effect, so nothing happened.
  case unhandledEffect(type: String)

  /// No asynchronous handler handles the type of a lasting effect, so nothing runs.
  case unhandledLastingEffect(type: String)

  /// The handlers of a lasting effect of this type have returned although it is to last. They don't
  /// run it again unless it ceases, or becomes another effect, in between.
  case endedLastingEffect(type: String)

  /// No reducer knows the type of a reduced intent, so it changed nothing.
  ///
  /// Debug builds look for these, everywhere in combined reducers. A reducer of your own that takes
  /// `any Intent` counts as one that knows all, so beside it nothing is found. So does a combined
  /// reducer of an optional part that is nil. A reducer of ``ElementIntent`` counts as one that knows all
  /// elements' intents. False alarms are an intent that only a middleware acts on
  /// and passes on, and one that a closure of yours reduces before it calls a library reducer.
  case unknownIntent(type: String, cure: String)

  /// A thunk has reached the reducer, because there is no ``thunkMiddleware()``.
  case unhandledThunk(type: String)

  /// The middleware at this index has had 100 intents, thunks aside, and passed none on, so far.
  /// Found in debug builds.
  case silentMiddleware(index: Int)

  /// A synchronous handler of this type of effects, or a subscriber of this type of values, has
  /// held up deliveries for more than a second, by the store's clock. Or its first call hasn't returned
  /// for 10 s of real time. Found in debug builds.
  case slowDelivery(type: String)

  /// A ``CancelEffects`` named an id that only a lasting effect of this type has, which it doesn't
  /// cancel.
  case cancellationOfLastingEffect(type: String)

  /// An effect has waited for 10 s of real time for a canceled one of its id to return. It has the
  /// policy ``EffectPolicy/replacing``, or is to last.
  case heldUpEffect(type: String)

  /// An earlier process has left effects that must happen, and nothing has called
  /// `resumeUnfinishedEffects()` within 10 s of real time, or before the store is released.
  case unresumedEffect(type: String)

  /// More than 100,000 deliveries are pending.
  case growingOutbox

  /// One `dispatch` has caused 1,000,000 deliveries, with intents of these types at last: likely an
  /// infinite loop between a handler and the reducer.
  case endlessDelivery(intents: [String])

  /// One line, which begins with "Glue: ".
  public var description: String {
    switch self {
    case .unhandledEffect(let type):
      "Glue: no handler handles \(type), so this effect does nothing: add one for that type before "
        + "the first intent is dispatched."
    case .unhandledLastingEffect(let type):
      "Glue: no asynchronous handler handles \(type), so this lasting effect does nothing: add one "
        + "with on(\(type).self) { effect, dispatch async in … }."
    case .endedLastingEffect(let type):
      "Glue: all handlers of a lasting \(type) have returned, although it is to last: loop "
        + "until the task is canceled, or dispatch an intent that changes this state."
    case .unknownIntent(let type, let cure):
      "Glue: \(type) reached no reducer; \(cure)."
    case .unhandledThunk(let type):
      "Glue: a \(type) reached the reducer, which cannot run it: make the store with middleware: "
        + "[thunkMiddleware()]."
    case .silentMiddleware(let index):
      "Glue: the middleware at index \(index) has had 100 intents and never called next, so none "
        + "reaches the reducer: call next(intent) for what it does not drop."
    case .slowDelivery(let type):
      "Glue: a synchronous handler or a subscriber of \(type) has held up the calls after it for "
        + "more than a second: work in an asynchronous handler, or subscribe on: a queue."
    case .cancellationOfLastingEffect(let type):
      "Glue: a CancelEffects has the id of a lasting \(type), which it does not cancel: change the "
        + "state that it lasts for."
    case .heldUpEffect(let type):
      "Glue: a \(type) has waited for 10 s to replace a canceled effect of its id "
        + "that has not returned: its handler must check for cancellation."
    case .unresumedEffect(let type):
      "Glue: an earlier process left a \(type) that must happen, and it waits: call the store's "
        + "resumeUnfinishedEffects() after adding the handlers."
    case .growingOutbox:
      "Glue: more than 100,000 deliveries are pending: intents come faster than subscribers "
        + "and handlers take them, so let producers await delivered() now and then."
    case .endlessDelivery(let intents):
      "Glue: one dispatch has caused 1,000,000 deliveries and continues with "
        + intents.joined(separator: ", ")
        + ": likely an infinite loop between a handler or a subscriber and the reducer."
    }
  }
}

extension Problem {
  /// How many deliveries of one call are too many.
  @usableFromInline static var manyDeliveries: Int { 1_000_000 }
}

/// Reports each problem once.
struct ProblemReport: Sendable {
  private let report: @Sendable (Problem) -> Void
  private var reported: [Problem] = []

  init(to report: @escaping @Sendable (Problem) -> Void) { self.report = report }

  /// A deferred report of a problem, unless it was reported before.
  mutating func reporting(_ problem: Problem) -> Deferred.Action? {
    var kind = problem
    if case .unknownIntent(let type, _) = problem { kind = .unknownIntent(type: type, cure: "") }
    if reported.contains(kind) { return nil }
    reported.append(kind)
    return .call { [report] in report(problem) }
  }
}

/// Prints problems to standard error in debug builds; nil in others.
@usableFromInline let defaultReport: (@Sendable (Problem) -> Void)? = {
  #if DEBUG
    { problem in printInDebugBuilds("\(problem)") }
  #else
    nil
  #endif
}()
