/// A companion of a store's commits: its journal, its monitors.
///
/// All of it is called under the lock, and the pipeline doesn't know which companions there are. A
/// store without any pays a test for nil.
///
///     commit 7  begin    each companion may enqueue an entry; it comes before the commit's deliveries
///               …        subscribers and effects are enqueued, policies and `CancelEffects` act
///               end      the commit is complete, with the news of what it has canceled
///     later     hear     effects have started or ended on their own
///     at last   release  the store is being released
///
/// Closures, formed where the type of the state is known, as those of a ``Subscriber``.
@usableFromInline
final class Companion<State: Sendable>: Sendable {
  /// Gets an intent with what the commit knows of it, the state before it, if a companion asks for
  /// that, and the state after it.
  @usableFromInline
  typealias Begin =
    @Sendable (
      any Intent, borrowing NewCommit, inout State?, inout State, inout StoreRuntime, ThreadID
    ) -> Void

  /// Gets the same again, with the news of effects that the commit has caused.
  @usableFromInline
  typealias End =
    @Sendable (
      any Intent, borrowing NewCommit, [EffectNews], inout State, inout StoreRuntime, ThreadID
    ) -> Void

  /// Gets the last state, and the number of its commit; the lock is free.
  @usableFromInline typealias Release = @Sendable (State, Int) -> Void

  @usableFromInline let begin: Begin
  @usableFromInline let end: End
  @usableFromInline let release: Release

  @usableFromInline
  init(begin: @escaping Begin, end: @escaping End, release: @escaping Release = { _, _ in }) {
    (self.begin, self.end, self.release) = (begin, end, release)
  }
}

/// A new commit, without its intent and its states.
///
/// The intent isn't in here, because a copy of it would cost a monitored commit a thirtieth.
@usableFromInline
struct NewCommit: ~Copyable, Sendable {
  @usableFromInline let number: Int
  @usableFromInline let cause: Cause
  @usableFromInline let effects: [any Effect]

  /// The effects that it has started and stopped, if any.
  @usableFromInline let lasting: CommitDetails?

  @_alwaysEmitIntoClient
  init(
    number: Int, cause: consuming Cause, effects: consuming [any Effect],
    lasting: consuming CommitDetails?
  ) {
    self.number = number
    self.cause = cause
    self.effects = effects
    self.lasting = lasting
  }
}

/// The part of a ``Company`` that doesn't depend on the type of the state.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables. For the same reason
/// exclusivity is not checked.
@usableFromInline
class CommonCompany: @unchecked Sendable {
  /// The number of the latest commit.
  @exclusivity(unchecked) @usableFromInline final var commits = 0

  /// Whether nothing is delivered any more, because the journal is closed.
  @exclusivity(unchecked) @usableFromInline final var isMute = false

  /// The journal's log, if any.
  @exclusivity(unchecked) final var log: (any CommitLog)?

  /// Gets news of effects that no commit has caused.
  @usableFromInline
  typealias Hear = @Sendable ([EffectNews], inout StoreRuntime, ThreadID) -> Void

  @exclusivity(unchecked) @usableFromInline final var hearing: [Hear] = []

  init() {}
}

/// The companions and the lasting effects of a store, with the number of its commits.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables. For the same reason
/// exclusivity is not checked.
@usableFromInline
final class Company<State: Sendable>: CommonCompany, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var companions: [Companion<State>] = []

  /// Whether companions hear of the end of each commit, and not only of those with news.
  @exclusivity(unchecked) @usableFromInline var needsEnds = false

  /// Whether a companion asks for the state before each commit, which costs a copy of what the
  /// commit changes (G10).
  @exclusivity(unchecked) @usableFromInline var asksForBefore = false

  /// The lasting effects; nil if the store has no `lasting:`.
  @exclusivity(unchecked) @usableFromInline var lasting: LastingEffects<State>?

  /// The parts whose effects end with them.
  @exclusivity(unchecked) @usableFromInline var parts: [Parts<State>] = []

  @usableFromInline override init() {}

  /// Numbers a commit.
  ///
  /// - Returns: its number; nil if nothing is delivered any more.
  @_alwaysEmitIntoClient @inline(__always)
  func number() -> Int? {
    commits += 1
    return isMute ? nil : commits
  }

  /// Calls each companion, in order.
  ///
  /// The unmanaged references save retains and releases that cost a monitored commit a tenth. They
  /// are sound because the array holds the objects and can't change meanwhile.
  @_alwaysEmitIntoClient @inline(__always)
  func forEach(_ body: (Companion<State>) -> Void) {
    for index in companions.indices {
      Unmanaged.passUnretained(companions[index])._withUnsafeGuaranteedRef(body)
    }
  }

  func mute() { (isMute, asksForBefore) = (true, false) }
}

extension Core {
  /// Returns the company, and makes it at the first call.
  @usableFromInline
  mutating func useCompany() -> Company<State> {
    if let company { return company }
    let new = Company<State>()
    (company, runtime.company) = (new, new)
    return new
  }
}

extension StoreRuntime {
  /// Passes news of effects on to the companions.
  mutating func passOnNews(by thread: ThreadID) {
    let news = effects.takeNews()
    for hear in company?.hearing ?? [] { hear(news, &self, thread) }
  }
}

// MARK: - The journal

extension Core {
  /// Lets a log record commits, and the ends of effects that must happen.
  ///
  /// A commit's record has a place before its deliveries, and is appended once, whole, when all that
  /// it has canceled is known.
  @usableFromInline
  mutating func add(_ start: LogStart) {
    let (company, log, first) = (useCompany(), start.log, start.commits + 1)
    (company.log, company.commits, company.needsEnds) = (log, start.commits, true)
    company.companions.append(
      Companion(
        begin: { _, new, _, _, runtime, thread in
          runtime.outbox.append(.record(log), by: thread)
          if new.number == first { runtime.checkForUnhandledLeftovers() }
        },
        end: { intent, new, news, after, _, _ in
          log.append(intent, new.cause, new.effects, of: new.number, over: news.marks, after)
        }, release: { state, commits in log.end(with: state, after: commits) }))
    company.hearing.append { news, runtime, thread in
      let marks = news.marks
      // Once mute, it records none of their intents, so they happen again in the next process.
      if marks.isEmpty || runtime.company?.isMute == true { return }
      log.append(over: marks)
      runtime.outbox.append(.record(log), by: thread)
    }
  }
}

// MARK: - Monitors

extension Core {
  /// Lets monitors observe commits, and those that watch effects also events.
  @_alwaysEmitIntoClient
  mutating func add(_ monitors: [any Monitor<State>]) {
    let company = useCompany()
    let hear = watchEffects(for: monitors)
    company.companions.append(
      Companion(
        begin: { intent, new, before, after, runtime, thread in
          guard let before else { return }
          let commit = Commit(
            number: new.number, intent: intent, cause: new.cause, effects: new.effects,
            details: new.effects.isEmpty ? new.lasting : runtime.details(of: new),
            before: before, after: after)
          runtime.outbox.append(
            { for monitor in monitors { monitor.observe(commit) } }, by: thread)
        },
        end: { _, _, news, _, runtime, thread in
          if !news.isEmpty { hear(news, &runtime, thread) }
        }))
    company.asksForBefore = true
  }

  /// Lets monitors watch effects, those that do.
  ///
  /// - Returns: what passes news on to them.
  @usableFromInline
  mutating func watchEffects(for monitors: [any Monitor<State>]) -> CommonCompany.Hear {
    let watching = monitors.compactMap { $0 as? any EffectMonitor<State> }
    if watching.isEmpty { return { _, _, _ in } }
    let hear: CommonCompany.Hear = { news, runtime, thread in
      for case .event(let event) in news {
        runtime.outbox.append({ for monitor in watching { monitor.observe(event) } }, by: thread)
      }
    }
    runtime.effects.isWatched = true
    company?.hearing.append(hear)
    return hear
  }
}

extension StoreRuntime {
  /// The details of a commit with effects, for monitors: also those effects that have no handler.
  @usableFromInline
  mutating func details(of new: borrowing NewCommit) -> CommitDetails? {
    let effects = new.effects
    let unhandled = effects.indices.filter { !isHandled(effects[$0]) }
    if unhandled.isEmpty { return new.lasting }
    return CommitDetails(
      began: new.lasting?.began ?? [], ceased: new.lasting?.ceased ?? [], unhandled: unhandled)
  }

  private mutating func isHandled(_ effect: any Effect) -> Bool {
    let effect = plainEffect(effect)
    return effect is CancelEffects || effect is Send || handlers.route(for: effect).isHandled
  }
}
