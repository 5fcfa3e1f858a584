internal import Foundation
import Glue

// The store calls these under its lock. They write nothing, and make at most a bounded digest (J2).

extension JournalCore: CommitLog {
  var now: Duration { .microseconds(directory.files.microseconds) }

  var mustHappen: (@Sendable (any Effect) -> Bool)? {
    if coding.effects.isEmpty { return nil }
    return { [coding] in coding.name(of: $0) != nil }
  }

  func append(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], of number: Int,
    over: [Cause], _ state: some Sendable
  ) {
    let commit = RecordedCommit(
      number: number, time: directory.files.microseconds, cause: cause, intent: intent)
    if !coding.effects.isEmpty && !effects.isEmpty {
      commit.effects = coding.kept(effects, of: commit)
      commit.unnamed = coding.unnamedTypes(of: effects)
    }
    commit.over = keys(of: over)
    let keepsState = options.keepsState(after: number) || !coding.intents.contains(type(of: intent))
    let (isForLog, isDue, isSlow) = queue.withLock { queue in
      let isDue = !keepsState && queue.digests.isDue(at: commit.time)
      let isSlow = isDue && queue.digests.isSlow
      // Until the writer has made this digest, no other commit brings a copy for one.
      if isSlow { queue.digests.last = commit.time }
      return (queue.takesState(after: number), isDue, isSlow)
    }
    if keepsState { commit.state = state } else if isForLog || isSlow { commit.copy = state }
    commit.isForDigest = isSlow
    if isDue && !isSlow { commit.digest = try? digest(of: state) }
    queue.withLock { $0.append(.commit(commit)) }
  }

  func append(over: [Cause]) {
    let keys = keys(of: over)
    queue.withLock { $0.append(.over(keys)) }
  }

  private func keys(of causes: [Cause]) -> [EffectKey] {
    causes.compactMap { cause in
      guard case .effect(let index, let commit) = cause else { return nil }
      return EffectKey(commit: commit, index: index)
    }
  }

  func appendEnd(
    with state: some Sendable, after commit: Int, completion: @escaping @Sendable () -> Void
  ) {
    let wait = WaitForSync { _ in completion() }
    queue.withLock { $0.append(.end(state, after: commit, closes: false, wait)) }
  }

  func reportLateEnd() {
    options.report(
      "\(directory.path): shutdown returned before the state and the closing record were written; if "
        + "the process ends before they are, the next opening replays the commits since the last state"
    )
  }

  var unwrittenCount: Int { queue.withLock { $0.recordCount } }

  func digest(of state: AnyState) throws(CodingFailure) -> Digest? {
    let files = directory.files
    let start = files.uptime
    defer {
      // Timing and recording a digest takes about a microsecond more.
      let cost = Int((files.uptime - start) / .nanoseconds(1)) + 1000
      queue.withLock { ($0.digests.cost, $0.digests.last) = (cost, files.microseconds) }
    }
    return try Digest.of(coded(state))
  }
}
