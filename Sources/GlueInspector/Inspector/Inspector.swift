@_exported public import GlueDescribing
internal import Foundation
public import Glue

/// Keeps the last commits of a store and shows them, as a page and as a trace: each intent, its
/// cause, its changes, and how long effects took.
///
///     let inspector = Inspector<AppState>(limit: 10_000)
///     let store = Store(state: AppState(), reducer: reducer, monitors: [inspector])
///
///     try inspector.writePage(to: path)
///
/// It keeps texts, and none of the values themselves. It shows values as a `LogMonitor` does:
///
/// - It shows secrets too, unless you redact them.
/// - It doesn't look into objects, and shows values that describe themselves by their descriptions.
/// - It shortens long values, and lists 50 of many differences.
///
/// It uses no network, and opens only the files that you ask it to write.
///
/// An inspector belongs to one store, and you can use it on any thread.
///
/// - Complexity: for each commit that of a `LogMonitor`: O(*n*) in the number of parts of the
///   changed values. It also describes the whole state, up to 2,000 parts, for the first commit,
///   and again when the changes since take as much room. A commit takes about 0.8 KB.
public final class Inspector<State: Sendable>: Monitor {
  let log: SharedLog
  let limit: Int
  private let rewording: Rewording?
  private let ids: LastingIDs
  private let lanes: Lanes

  /// One instant by two clocks: the effects' clock, and microseconds since 1970.
  private let start = (ContinuousClock.now, Int(Date().timeIntervalSince1970 * 1_000_000))

  /// Makes an inspector.
  ///
  /// - Parameters:
  ///   - limit: how many commits to keep, at least one. The inspector removes the oldest; pages and
  ///     traces show how many it removed.
  ///   - redactions: the values to hide, also as ids of lasting effects. If there are any, the
  ///     inspector also hides each id known only by its description, as in a recording.
  ///   - describe: returns the text to show instead of a value, or nil. The inspector doesn't look
  ///     into such a value. The closure also gets the value's path, such as `session.token`. Any
  ///     thread calls it.
  ///   - lane: returns an effect's lane, or nil. Effects with equal values share a lane, in which a
  ///     later effect makes earlier ones' replies stale. The page marks stale replies. The closure
  ///     gets a scheduled effect without its policy, and any thread calls it. Without a lane of its
  ///     own, an effect is in the lane of its id, unless `.sequential` or `.leading` schedules it:
  ///     their replies are all wanted. The inspector keeps the values of 10,000 lanes.
  public init(
    limit: Int = 10_000, redact redactions: [Redaction] = [],
    describe: (@Sendable (_ value: Any, _ path: String) -> String?)? = nil,
    lane: (@Sendable (_ effect: any Effect) -> AnyHashable?)? = nil
  ) {
    if limit < 1 { stopForLimit(limit) }
    self.limit = limit
    log = SharedLog(limit: limit)
    rewording = GlueDescribing.rewording(redact: redactions, describe: describe)
    ids = LastingIDs(rewording: rewording, isDiscreet: !redactions.isEmpty)
    lanes = Lanes(own: lane)
  }

  deinit { log.finish() }

  /// Records a commit, with the current time.
  ///
  /// A store calls it when it delivers the commit, which may be some time after it was made.
  ///
  /// - Parameter commit: the commit.
  public func observe(_ commit: Commit<State>) {
    note(commit, at: time(.now), place: nil)
  }

  /// Records a commit of a recording.
  ///
  /// - Parameters:
  ///   - commit: the commit.
  ///   - seconds: its time, in seconds since 1970. Times more than about 200 years from then are
  ///     clamped, and not-a-number counts as 0.
  ///   - place: its place in the recording, such as a step's `place`. The page shows it, as a link
  ///     to the file if it begins with `/`.
  public func observe(_ commit: Commit<State>, at seconds: Double, place: String? = nil) {
    let range = -6.3e9...6.3e9
    let seconds = seconds.isNaN ? 0 : min(max(seconds, range.lowerBound), range.upperBound)
    note(commit, at: Int(seconds * 1_000_000), place: place)
  }

  private func note(_ commit: Commit<State>, at time: Int, place: String?) {
    var entry = CommitEntry(commit, at: time, place: place, rewording: rewording, ids, lanes)
    if log.withLock({ [entry] in $0.wantsState(with: entry) }) {
      entry.tree = StateTree(of: commit.after, rewording: rewording).json
    }
    log.append(.commit(entry))
  }

  private func time(_ instant: ContinuousClock.Instant) -> Int {
    let (seconds, attoseconds) = start.0.duration(to: instant).components
    return start.1 + Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
  }
}

extension Inspector: EffectMonitor {
  /// Records an effect's start, end or cancellation.
  package func observe(_ event: EffectEvent) {
    if let id = event.lastingID { _ = ids.text(of: id) }
    let cause = ids.shown(event.cause)
    log.append(.effect(EffectEntry(kind: event.kind, cause: cause, time: time(event.time))))
  }
}

private func stopForLimit(_ limit: Int) -> Never {
  fatalError(
    """
    GlueInspector: an inspector's limit is the number of commits that it keeps, so it cannot be \
    \(limit).
      Wrong: Inspector<AppState>(limit: 0)
      Right: Inspector<AppState>(limit: 10_000)
    """)
}
