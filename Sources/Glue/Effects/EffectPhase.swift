internal import Synchronization

/// How far an effect is on its way.
///
///     emitted ─▶ queued ─▶ starting ─▶ running ─▶ over
///
/// - `queued` in the outbox, `due` there again after a wait. From both an effect may have to wait:
///   `waiting` for a time, `blocked` by an earlier effect of its id; `held` by a throttle, instead
///   of being queued. Each becomes `due` later.
/// - `taskless`: queued at the shutdown, which leaves it to its synchronous handlers alone.
/// - `starting` while the drainer calls its handlers, `running` once it has a task.
/// - `cancelled` while handlers or tasks that had started haven't returned.
/// - `left` because it must happen and hasn't: it waits to be resumed, by this process or the next.
///
/// ``EffectRun`` alone changes it. All changes but `queued` to `starting`, and `starting` to
/// `running`, are made under the store's lock; these two are made by the drainer, against which
/// others race to cancel.
package enum EffectPhase: UInt8, AtomicRepresentable, Sendable {
  case queued, due, waiting, blocked, held, taskless, starting, running, cancelled, left, over

  /// The phases that may follow; any other stops a debug build.
  var next: Set<EffectPhase> {
    switch self {
    case .queued, .due: [.waiting, .blocked, .held, .taskless, .starting, .left, .over]
    case .waiting, .blocked, .held: [.due, .left, .over]
    case .taskless: [.blocked, .starting, .left, .over]
    case .starting: [.running, .cancelled, .left, .over]
    case .running: [.cancelled, .left, .over]
    case .cancelled: [.over]
    case .left: [.queued, .over]
    case .over: []
    }
  }

  /// Whether handlers have been called and not all have returned.
  var hasStarted: Bool { self == .starting || self == .running || self == .cancelled }

  /// Whether nothing of it happens any more, but for what hasn't returned.
  var isOver: Bool { self == .cancelled || self == .over }

  /// Whether its turn in the outbox is to come.
  var isQueued: Bool { self == .queued || self == .due || self == .taskless }
}
