/// The data of a store that few programs need: made at first use, so that it takes one word of all
/// other stores.
///
/// `@unchecked Sendable` is sound because the store's lock guards it. For the same reason exclusivity
/// is not checked.
@usableFromInline
final class Extras: @unchecked Sendable {
  /// Reports problems; nil if problems aren't looked for.
  @exclusivity(unchecked) var problems: ProblemReport?

  /// Finds what waits for too long; nil if problems aren't looked for, or on a test clock, which
  /// doesn't advance alone.
  @exclusivity(unchecked) var watch: Watch?

  /// The types of the latest intents, while a delivery that doesn't end is traced, and whether
  /// commits are observed for that alone.
  @exclusivity(unchecked) var trace: [String]?
  @exclusivity(unchecked) var observesForTrace = false

  /// The log that records commits, if any.
  @exclusivity(unchecked) @usableFromInline var log: (any CommitLog)?

  /// The commits whose consequences wait until the store begins; nil from then on.
  @exclusivity(unchecked) var heldBack: [HeldCommit]?

  /// Whether commits are observed for that alone.
  @exclusivity(unchecked) var observesForBlock = false

  /// The effects left over from an earlier process, in order, and whether `resume` was called, or
  /// the end of a block of handlers does it.
  @exclusivity(unchecked) var unfinished: [EffectRun] = []
  @exclusivity(unchecked) var wasResumed = false

  /// Passes effects' events to monitors, if any monitor watches effects.
  @exclusivity(unchecked) var observeEvent: (@Sendable (EffectEvent) -> Void)?

  /// The calls on the main actor; made with the first subscriber or handler there.
  @exclusivity(unchecked) var mainActorCalls: MainActorCalls?

  /// The groups whose ids lie in a part; made with the first effect that cancels one.
  @exclusivity(unchecked) var parts: [EffectID: [ObjectIdentifier: EffectGroup]]?

  /// The tasks of the effects that `settled()` waits for; made with its first call from a task.
  @exclusivity(unchecked) var tasks: Set<TaskID>?

  /// The effects that a shutdown kept from starting, in calls that return them; else nil.
  @exclusivity(unchecked) var unstarted: [UnfinishedWork]?

  @usableFromInline
  init() {}
}

/// A commit whose consequences are held back.
@usableFromInline
struct HeldCommit: Sendable {
  @usableFromInline let number: Int
  @usableFromInline let effects: [any Effect]

  /// Whether intents must know the effect that dispatched them.
  @usableFromInline let needsCause: Bool

  @usableFromInline let scope: PerformScope?
  @usableFromInline let change: LastingChange?

  /// Passes the commit to the monitors, if there are any.
  @usableFromInline let observe: (@Sendable (CommitDetails?) -> Void)?

  @usableFromInline
  init(
    number: Int, effects: [any Effect], needsCause: Bool, scope: PerformScope?,
    change: LastingChange?, observe: (@Sendable (CommitDetails?) -> Void)?
  ) {
    (self.number, self.effects, self.needsCause) = (number, effects, needsCause)
    (self.scope, self.change, self.observe) = (scope, change, observe)
  }
}
