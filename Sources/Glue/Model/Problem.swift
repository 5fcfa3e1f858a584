/// A likely mistake in a program that would otherwise go unnoticed.
///
/// A store reports each problem once, for each kind and type, to its `report:`. Without one, a
/// debug build prints it to standard error, and an optimized build doesn't look for problems:
///
///     let store = Store(state: App(), reducer: app, report: { logger.warning("\($0)") })
///
/// More cases may come: a `switch` should have a `default`.
///
/// While something waits, the store looks at it every 5 s of real time. It reports what it finds at
/// two looks in succession, which is after 5 to 10 s. It doesn't look if its clock is a test's.
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

  /// Each of ten commits in succession has ended the lasting effect of this type that the commit
  /// before had begun, and begun another one. Its value or its id likely contains something that
  /// changes at every commit.
  ///
  /// A false alarm is one that works through a queue, an element at a time.
  case renewedLastingEffect(type: String)

  /// An effect of this type was scheduled with a negative duration, which counts as zero.
  case negativeDuration(type: String)

  /// No reducer knows the type of a reduced intent, so it changed nothing.
  ///
  /// Debug builds look for these, everywhere in combined reducers. A reducer of your own that takes
  /// `any Intent` counts as one that knows all, so beside it nothing is found. So does a combined
  /// reducer of an optional part that is nil. A reducer of ``ElementIntent`` counts as one that knows
  /// all elements' intents. There are two false alarms: an intent that only a middleware acts on and
  /// passes on, and an intent that your own reducer handles before it calls a library reducer.
  case unknownIntent(type: String, cure: String)

  /// An intent from outside of effects has met no part: the element that it is addressed to, or the
  /// optional part whose reducer would have taken it, isn't there. So it changed nothing.
  ///
  /// Debug builds look for these, in combined reducers. A reply of an effect is none, because it can
  /// legitimately come too late. Nor is an intent that another reducer takes. A reducer of
  /// ``ElementIntent``, which follows elements, doesn't count.
  case missingPart(type: String, cure: String)

  /// Several elements of an array have one id, so intents reach only the first of this type. Found in
  /// debug builds, where an intent is addressed to one of them.
  case duplicateElement(type: String)

  /// A thunk has reached the reducer, because there is no ``thunkMiddleware()``. Found in debug
  /// builds.
  case unhandledThunk(type: String)

  /// The middleware at this index has had 100 intents, thunks aside, and passed none on; nor can it
  /// do so later, because it doesn't keep `next`. Found in debug builds.
  case silentMiddleware(index: Int)

  /// A synchronous handler of this type of effects, or a subscriber of this type of values, has held
  /// up deliveries for more than a second of real time. Or it hasn't returned at two looks. Found in
  /// debug builds.
  case slowDelivery(type: String)

  /// A commit has canceled an effect of this type that it had emitted before, so that effect never
  /// starts: by a ``CancelEffects``, or because it removed the part whose effect it is.
  case cancellationOfOwnEffect(type: String)

  /// A ``CancelEffects`` named an id that only a lasting effect of this type has, which it doesn't
  /// cancel.
  case cancellationOfLastingEffect(type: String)

  /// An effect has waited for a canceled one of its id to return at two looks. It has the policy
  /// ``EffectPolicy/restarting``, or is to last.
  case heldUpEffect(type: String)

  /// A canceled effect of this type hasn't returned at two looks, so ``Store/shutdown()`` doesn't
  /// return either.
  case heldUpShutdown(type: String)

  /// Deliveries have waited at two looks, and none has begun in between. The place is the main queue,
  /// the main actor, another queue, or the loop of ``Delivery/custom(_:)``. The cure says what to do
  /// there.
  case stalledDelivery(place: String, cure: String)

  /// The loop of a ``Delivery/custom(_:)`` has released a body that it hadn't run, before a shutdown,
  /// so the deliveries that were pending are lost.
  case lostDeliveries

  /// More than 100,000 deliveries are pending.
  case growingOutbox

  /// One `dispatch` has caused 1,000,000 deliveries, of effects and to subscribers of values of these
  /// types at last: likely an infinite loop between a handler and the reducer. In debug builds 100,000
  /// will do, if they have taken more than 2 s.
  case endlessDelivery(types: [String])

  /// One line, which begins with "Glue: ".
  public var description: String {
    switch self {
    case .unhandledEffect(let type):
      "Glue: no handler handles \(type), so this effect does nothing: add one for that type before "
        + "the first intent, or in the block of Store(…, handlers: { handlers in … })."
    case .unhandledLastingEffect(let type):
      "Glue: no asynchronous handler handles \(type), so this lasting effect does nothing: add one "
        + "with on(\(type).self) { effect, dispatch async in … }."
    case .endedLastingEffect(let type):
      "Glue: all handlers of a lasting \(type) have returned, although it is to last: loop "
        + "until the task is canceled, or dispatch an intent that changes this state."
    case .renewedLastingEffect(let type):
      "Glue: a lasting \(type) was canceled and begun anew by each of 10 commits in succession: leave "
        + "what changes that often out of its value and its id."
    case .negativeDuration(let type):
      "Glue: \(withArticle(type)) was scheduled with a negative duration, which counts as zero: pass the time "
        + "to wait, which is at least .zero."
    case .unknownIntent(let type, let cure):
      "Glue: \(type) reached no reducer; \(cure)."
    case .missingPart(let type, let cure):
      "Glue: \(type) met no part, so it changed nothing: \(cure)."
    case .duplicateElement(let type):
      "Glue: several elements of type \(type) in an array have one id, and only the first gets the "
        + "intents for it: give each an id of its own."
    case .unhandledThunk(let type):
      "Glue: \(withArticle(type)) reached the reducer, which cannot run it: make the store with middleware: "
        + "[thunkMiddleware()]."
    case .silentMiddleware(let index):
      "Glue: the middleware at index \(index) has had 100 intents and keeps no next, so none "
        + "reaches the reducer: call next(intent) for what it does not drop."
    case .slowDelivery(let type):
      "Glue: a synchronous handler or a subscriber of \(type) has held up the calls after it for "
        + "more than a second: work in an asynchronous handler, or subscribe on: a queue."
    case .cancellationOfOwnEffect(let type):
      "Glue: a commit cancels \(withArticle(type)) that it emits itself, so it never starts: return the "
        + "CancelEffects before it, or let the reducer that removes the part return it as its own."
    case .cancellationOfLastingEffect(let type):
      "Glue: a CancelEffects has the id of a lasting \(type), which it does not cancel: change the "
        + "state that it lasts for."
    case .heldUpEffect(let type):
      "Glue: \(withArticle(type)) has waited for more than 5 s to replace a canceled effect of its id "
        + "that has not returned: its handler must check for cancellation."
    case .heldUpShutdown(let type):
      "Glue: shutdown() has waited for more than 5 s for a canceled \(type) that has not returned: "
        + "its handler must check for cancellation, or call shutdown(finishing:within:)."
    case .stalledDelivery(let place, let cure):
      "Glue: deliveries have waited for \(place) for more than 5 s, and none has begun: \(cure)."
    case .lostDeliveries:
      "Glue: the loop of Delivery.custom has released a body that it had not run, so its deliveries "
        + "are lost: run each body once, and end the loop after shutdown() and delivered()."
    case .growingOutbox:
      "Glue: more than 100,000 deliveries are pending: intents come faster than subscribers "
        + "and handlers take them, so let producers await delivered() now and then."
    case .endlessDelivery(let types):
      "Glue: one dispatch has caused more than 100,000 deliveries and continues with those of "
        + types.joined(separator: ", ")
        + ": likely an infinite loop between a handler or a subscriber and the reducer."
    }
  }
}

extension Problem {
  /// The same without its cure, which may differ between those of one kind and type.
  package var withoutCure: Problem {
    switch self {
    case .unknownIntent(let type, _): .unknownIntent(type: type, cure: "")
    case .missingPart(let type, _): .missingPart(type: type, cure: "")
    default: self
    }
  }

  /// How many deliveries of one call are too many.
  static var manyDeliveries: Int { 1_000_000 }

  /// How many are too many if they have taken more than two seconds, which debug builds measure.
  static var suspectDeliveries: Int {
    #if DEBUG
      100_000
    #else
      manyDeliveries
    #endif
  }
}

/// Prints problems to standard error in debug builds; nil in others.
@usableFromInline let defaultReport: (@Sendable (Problem) -> Void)? = {
  #if DEBUG
    { problem in writeToStandardError("\(problem)") }
  #else
    nil
  #endif
}()

/// A type's name with its article: "a Search", "an Alarm".
package func withArticle(_ type: Any) -> String {
  let name = "\(type)"
  return (name.first.map("AEIO".contains) == true ? "an " : "a ") + name
}
