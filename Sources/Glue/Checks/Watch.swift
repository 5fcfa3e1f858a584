internal import Dispatch

/// Something in a store that waits, and the problem that it is if it still waits at the next look.
struct Waiting: Equatable, Sendable {
  let problem: Problem

  /// Differs between things that have one problem and wait one after the other.
  let number: Int
}

/// Looks at what waits in a store, every few seconds for as long as something does.
///
/// It is a problem if something waits at two looks in succession. One look would not do, because a
/// process that was stopped, by a debugger for example, continues with an interval that has passed.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables.
@usableFromInline
final class Watch: @unchecked Sendable {
  let time = RealTime.current.get()

  /// Whether a shutdown waits without a limit.
  private(set) var isShutDown = false

  /// Lets the store look; it doesn't retain the store.
  private let look: @Sendable () -> Void
  private var timer: (any DispatchSourceTimer)?
  private var isLooking = false
  private var seen: [Waiting] = []

  init(look: @escaping @Sendable () -> Void) { self.look = look }

  /// The last look, of a store that is released, is canceled.
  deinit { timer?.cancel() }

  /// Makes sure that there is a next look.
  func begin() {
    if isLooking { return }
    isLooking = true
    schedule()
  }

  /// Looks from now on also for canceled effects that don't return.
  func beginShutdown() {
    isShutDown = true
    begin()
  }

  /// Compares what waits with what waited at the look before.
  ///
  /// - Parameters:
  ///   - waiting: what waits at this look.
  ///   - goesOn: whether there is a next look, because something may wait then.
  /// - Returns: the problems of what has waited since the look before.
  func look(at waiting: [Waiting], goesOn: Bool) -> [Problem] {
    let known = seen
    seen = waiting
    isLooking = goesOn
    if goesOn { schedule() }
    return waiting.filter(known.contains).map(\.problem)
  }

  private func schedule() {
    guard let interval = time.interval else { return }
    let deadline = DispatchTime.now() + interval
    if let timer { return timer.schedule(deadline: deadline) }
    let new = DispatchSource.makeTimerSource(queue: .global())
    new.setEventHandler(handler: look)
    new.schedule(deadline: deadline)
    new.activate()
    timer = new
  }
}
