internal import Glue
internal import GlueDescribing

/// The commits of a store under test: those not asserted yet, and a line for each.
final class Ledger<State: Sendable>: EffectMonitor {
  private struct Content {
    var pending: ArraySlice<Commit<State>> = []
    var commits: [(intent: any Intent, effects: [any Effect], cause: Cause, unhandled: [Int])] = []

    /// The effects whose handlers were called, and those that were canceled, dropped or replaced.
    var started: Set<Cause> = []
    var canceled: Set<Cause> = []
  }

  private let content = Locked(Content())
  private let problems: ProblemLog

  /// The effects that an earlier process has not finished: those of commit 0.
  private let unfinished: [any Effect]

  init(unfinished: [any Effect], problems: ProblemLog) {
    (self.unfinished, self.problems) = (unfinished, problems)
  }

  /// The arrival of a commit.
  let arrival = Event()

  /// The commits that aren't asserted, oldest first.
  var pending: ArraySlice<Commit<State>> { content.withLock { $0.pending } }

  /// How many commits there were.
  var count: Int { content.withLock { $0.commits.count } }

  func observe(_ commit: Commit<State>) {
    content.withLock { content in
      content.pending.append(commit)
      content.commits.append((commit.intent, commit.effects, commit.cause, commit.unhandled))
    }
    arrival.happen()
  }

  func observe(_ event: EffectEvent) {
    content.withLock { content in
      switch event.kind {
      case .started: _ = content.started.insert(event.cause)
      case .canceled: _ = content.canceled.insert(event.cause)
      case .ended: break
      }
    }
  }

  /// An effect that a commit has emitted, and what has become of it.
  struct Emission {
    let effect: any Effect
    let intent: any Intent
    let cause: Cause
    let isUnhandled: Bool
    let hasStarted: Bool
    let isCancelled: Bool
  }

  /// The effects of all commits, in the order of emission.
  var emissions: [Emission] {
    content.withLock { content in
      content.commits.enumerated().flatMap { number, commit in
        commit.effects.enumerated().map { index, effect in
          let cause = Cause.effect(index, ofCommit: number + 1)
          return Emission(
            effect: effect, intent: commit.intent, cause: cause,
            isUnhandled: commit.unhandled.contains(index),
            hasStarted: content.started.contains(cause),
            isCancelled: content.canceled.contains(cause))
        }
      }
    }
  }

  /// The numbers of those commits that came from outside, and of all that their effects have
  /// caused.
  func commits(causedBy numbers: Range<Int>) -> Set<Int> {
    content.withLock { content in
      content.commits.enumerated().reduce(into: []) { caused, entry in
        let number = entry.offset + 1
        switch entry.element.cause {
        case .outside where numbers.contains(number): caused.insert(number)
        case .effect(_, let source) where caused.contains(source): caused.insert(number)
        default: break
        }
      }
    }
  }

  /// Removes a commit.
  ///
  /// - Complexity: O(1) for the oldest.
  func remove(_ commit: Commit<State>) {
    content.withLock { content in
      guard let index = content.pending.firstIndex(where: { $0.number == commit.number }) else {
        return
      }
      if index > content.pending.startIndex { return _ = content.pending.remove(at: index) }
      content.pending.removeFirst()
    }
  }

  /// An intent with its cause: "SearchIntent.found(3), from the effect …".
  func line(for commit: Commit<State>) -> String {
    let intent = text(of: commit.intent)
    if case .lasting(let id, _) = commit.cause { return "\(intent), from the lasting effect \(id)" }
    guard let source = source(of: commit.cause) else { return "\(intent), not from an effect" }
    return "\(intent), from the effect \(text(of: source.effect)) of \(source.intent)"
  }

  /// A line for each of some commits, of which several from one effect in succession name it once.
  func lines(for commits: some Sequence<Commit<State>>) -> [String] {
    var last = Cause.outside
    return commits.map { commit in
      defer { last = commit.cause }
      let isRepeated = commit.cause == last && last != .outside
      return isRepeated ? "\(text(of: commit.intent)), from the same effect" : line(for: commit)
    }
  }

  /// An effect with the intent whose reducer emitted it; the effect alone for a commit still in
  /// progress.
  func line(for effect: EffectInFlight) -> String {
    guard let source = source(of: effect.source) else { return text(of: effect.effect) }
    return "\(text(of: source.effect)) of \(source.intent)"
  }

  /// An effect with the name of its intent.
  private func source(of cause: Cause) -> (intent: String, effect: any Effect)? {
    guard case .effect(let index, let number) = cause else { return nil }
    if number == 0 { return ("an earlier process", unfinished[index]) }
    let commit = content.withLock { content in
      number <= content.commits.count ? content.commits[number - 1] : nil
    }
    return commit.map { (text(of: $0.intent), $0.effects[index]) }
  }
}
