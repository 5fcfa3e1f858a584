/// What accompanies the commits of a store: its journal, its monitors.
///
/// It hears of each commit and of each event of an effect under the lock, before the commit's
/// deliveries are enqueued. So an entry that it enqueues comes before them: the journal's record, the
/// monitors' call. The pipeline doesn't know which companions there are, and a store without any pays
/// a test for nil.
///
/// Closures, formed where the type of the state is known, as those of a ``Subscriber``.
@usableFromInline
struct Companion<State: Sendable>: Sendable {
  /// Gets a commit with its number, with the state before it, if a companion asks for that, and with
  /// the state after it.
  @usableFromInline
  typealias Observing =
    @Sendable (
      Int, any Intent, Cause, [any Effect], LastingChange?, inout State?, inout State,
      inout StoreRuntime, ThreadID
    ) -> Void

  @usableFromInline let observe: Observing

  @usableFromInline
  init(_ observe: @escaping Observing) { self.observe = observe }
}

/// What a store has that numbers its commits, for companions or for lasting effects.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables. For the same reason
/// exclusivity is not checked.
@usableFromInline
final class Company: @unchecked Sendable {
  /// The number of the latest commit.
  @exclusivity(unchecked) @usableFromInline var commits = 0

  /// Whether a companion asks for the state before each commit, which costs a copy of what the
  /// commit changes (G10).
  @exclusivity(unchecked) @usableFromInline var asksForBefore = false

  /// Whether nothing is delivered any more, because the journal is closed.
  @exclusivity(unchecked) @usableFromInline var isMute = false

  /// The journal's log, if any.
  @exclusivity(unchecked) var log: (any CommitLog)?

  /// Gets effects' events, and whether the last commit has caused them.
  typealias Hearing = @Sendable ([EffectEvent], Bool, inout StoreRuntime, ThreadID) -> Void

  @exclusivity(unchecked) fileprivate var hearings: [Hearing] = []

  @usableFromInline
  init() {}

  func mute() { (isMute, asksForBefore) = (true, false) }

  /// Numbers a commit.
  ///
  /// - Returns: its number; nil if nothing is delivered any more.
  @_alwaysEmitIntoClient @inline(__always)
  func number() -> Int? {
    commits += 1
    return isMute ? nil : commits
  }
}

extension StoreRuntime {
  /// Returns the company, and makes it at the first call.
  @usableFromInline
  mutating func useCompany() -> Company {
    if let company { return company }
    let new = Company()
    company = new
    return new
  }

  mutating func addHearing(_ hear: @escaping Company.Hearing) {
    useCompany().hearings.append(hear)
  }

  /// Passes effects' events on to the companions.
  @usableFromInline
  mutating func passOnEvents(ofCommit isOfCommit: Bool, by thread: ThreadID) {
    let events = effects.events
    effects.events = []
    for hear in company?.hearings ?? [] { hear(events, isOfCommit, &self, thread) }
  }
}

// MARK: - Monitors

extension Core {
  /// Lets monitors observe commits, and those that watch effects also events.
  @_alwaysEmitIntoClient
  mutating func add(_ monitors: [any Monitor<State>]) {
    companions.append(
      Companion { number, intent, cause, effects, change, before, after, runtime, thread in
        guard let before else { return }
        let commit = Commit(
          number: number, intent: intent, cause: cause, effects: effects, change: change,
          unhandled: effects.isEmpty ? [] : runtime.unhandled(of: effects), before: before,
          after: after)
        runtime.outbox.append(
          { for monitor in monitors { monitor.observe(commit) } }, by: thread)
      })
    runtime.useCompany().asksForBefore = true
    watchEffects(for: monitors)
  }

  @usableFromInline
  mutating func watchEffects(for monitors: [any Monitor<State>]) {
    let watching = monitors.compactMap { $0 as? any EffectMonitor<State> }
    if watching.isEmpty { return }
    runtime.effects.isWatched = true
    runtime.addHearing { events, _, runtime, thread in
      for event in events {
        runtime.outbox.append({ for monitor in watching { monitor.observe(event) } }, by: thread)
      }
    }
  }
}

extension StoreRuntime {
  /// The indices of the effects that have no handler.
  @usableFromInline
  mutating func unhandled(of emitted: [any Effect]) -> [Int] {
    emitted.indices.filter { !isHandled(emitted[$0]) }
  }

  private mutating func isHandled(_ effect: any Effect) -> Bool {
    let inner = (effect as? ScheduledEffect)?.effect ?? effect
    return inner is CancelEffects || inner is Send || handlers.route(for: inner).isHandled
  }
}
