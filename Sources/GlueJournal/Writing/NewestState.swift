import Glue

/// The newest state, and commits that it includes.
struct NewestState {
  let state: AnyState
  let number: Int
  let queued: [RecordedCommit]

  /// The newest state, which stands for all commits up to it.
  func commit(insteadOf item: RecordedCommit) -> RecordedCommit {
    let lost = [item] + queued.filter { $0.number > item.number && $0.number <= number }
    return RecordedCommit(
      number: number, time: item.time, cause: item.cause,
      intent: UnrecordedIntent(commits: item.number...number), state: state,
      effects: lost.flatMap(\.effects), over: lost.flatMap(\.over))
  }
}

extension JournalCore {
  func newest(behind items: [any Written]) -> NewestState? {
    guard let (state, number, queued) = store?.newest else { return nil }
    let all = (items + queued).compactMap { $0 as? Item }
    return NewestState(state: state, number: number, queued: all.compactMap(\.commit))
  }
}
