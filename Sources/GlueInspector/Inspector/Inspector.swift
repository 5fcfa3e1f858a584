internal import Foundation
public import Glue
public import GlueLogging

/// Keeps the last commits of a store and shows them, as a page and as a trace: what happened,
/// because of what, what it changed, and how long effects took.
///
///     let inspector = Inspector<AppState>(limit: 10_000)
///     let store = Store(state: AppState(), reducer: reducer, monitors: [inspector])
///
///     try inspector.writePage(to: path)
///
/// It keeps texts, none of the values themselves. What is shown, and how, is as in a `LogMonitor`:
/// secrets are shown too unless they are redacted, objects are not looked into, what describes
/// itself is shown as it says, long values are shortened, and of many differences 50 are listed. It
/// has no network and opens no file but those that it is told to write.
///
/// An inspector belongs to one store, and may be used on any thread.
///
/// - Complexity: for each commit, what a `LogMonitor` costs: O(*n*) in the number of parts of what
///   changed in the state. The whole state, up to 2,000 parts, is described for the first commit and
///   then when what has changed since takes as much room. A commit takes about 0.8 KB.
public final class Inspector<State: Sendable>: Monitor {
  let log: SharedLog
  let limit: Int
  private let rewording: Rewording?
  private let ids: LastingIDs
  private let lanes: Lanes

  /// The same instant by two clocks: that of effects, and in microseconds since 1970.
  private let start = (ContinuousClock.now, Int(Date().timeIntervalSince1970 * 1_000_000))

  /// Makes an inspector.
  ///
  /// - Parameters:
  ///   - limit: how many commits are kept, at least one; the oldest go, and pages and traces tell how
  ///     many went.
  ///   - redactions: the values that are not to be seen, nor the ids of lasting effects that they
  ///     are; if there are any, no id is shown that is known by its description alone, as in a
  ///     recording.
  ///   - describe: gives the text that is shown instead of a value, which is then not looked into, or
  ///     nil. It is told the value's path too, such as `session.token`, and called by any thread.
  ///   - lane: gives effects of which a later one makes the replies to those before it stale an equal
  ///     value, or nil; it gets what was scheduled without its policy, and any thread calls it. An
  ///     effect to which it gives none is in the lane of its id, unless `.sequential` or `.leading`
  ///     schedules it: their replies are all wanted. The page marks stale replies. The inspector
  ///     keeps the values of 10,000 lanes.
  public init(
    limit: Int = 10_000, redact redactions: [Redaction] = [],
    describe: (@Sendable (_ value: Any, _ path: String) -> String?)? = nil,
    lane: (@Sendable (_ effect: any Effect) -> AnyHashable?)? = nil
  ) {
    if limit < 1 { stopForLimit(limit) }
    self.limit = limit
    log = SharedLog(limit: limit)
    rewording = GlueLogging.rewording(redact: redactions, describe: describe)
    ids = LastingIDs(rewording: rewording, isDiscreet: !redactions.isEmpty)
    lanes = Lanes(own: lane)
  }

  deinit { log.finish() }

  /// Takes note of a commit, as of now.
  ///
  /// A store calls it where it delivers, which may be some time after the commit.
  ///
  /// - Parameter commit: what happened.
  public func observe(_ commit: Commit<State>) {
    note(commit, at: time(.now), place: nil)
  }

  /// Takes note of a commit of a recording.
  ///
  /// - Parameters:
  ///   - commit: what happened.
  ///   - seconds: when, in seconds since 1970. What is no time, or not within 200 years of that, is
  ///     taken for the nearest that is.
  ///   - place: where the recording has it, such as a step's `place`. The page shows it, as a link to
  ///     the file if it begins with `/`.
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
  /// Takes note of what has become of an effect.
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
