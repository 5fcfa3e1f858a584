internal import Synchronization

/// The phases of an effect.
///
///     emitted ─▶ queued ─▶ starting ─▶ running ─▶ over
///
/// - `queued` in the outbox, `due` there again after a wait. From both an effect may have to wait:
///   `waiting` for a time, `blocked` by an earlier effect of its id; `held` by a throttle, instead
///   of being queued. Each becomes `due` later.
/// - `taskless`: queued at a shutdown, which leaves it to its synchronous handlers.
/// - `starting` while the drainer calls its handlers, `running` once it has a task.
/// - `cancelled` while handlers or tasks that had started haven't returned.
/// - `left` over: it must happen and hasn't, and waits for this or the next process to resume it.
///
/// Only ``EffectRun`` changes the phase, under the store's lock, with two exceptions: the drainer
/// changes `queued` to `starting` and `starting` to `running`, in a race with cancellations.
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

  /// Whether nothing of it happens any more, except in handlers that haven't returned.
  var isOver: Bool { self == .cancelled || self == .over }

  /// Whether its turn in the outbox is still to come.
  var isQueued: Bool { self == .queued || self == .due || self == .taskless }
}
