#if DEBUG
  internal import Dispatch
  internal import Synchronization

  /// The real time, in seconds, after which a first call that has not returned is reported.
  package enum FirstCallWatch {
    package static let delay = TaskLocal(wrappedValue: 10.0)
  }

  /// Reports a call that takes more than a second.
  ///
  /// The first call of a type is also reported if it hasn't returned after 10 s of real time, because
  /// a call that never returns has no end to measure.
  ///
  /// `@unchecked Sendable` is sound because only the caller uses its variables: the drainer, or the
  /// main actor.
  final class SlowCallWatch: @unchecked Sendable {
    private let timer: any Timer
    private let report: @Sendable (Any.Type) -> Void
    private var current: (type: Any.Type, start: Duration)?
    private var types: Set<ObjectIdentifier> = []
    private var count = 0

    /// The number of the call in flight; 0 if there is none.
    private let inFlight = Atomic(0)

    init(on timer: any Timer, report: @escaping @Sendable (Any.Type) -> Void) {
      (self.timer, self.report) = (timer, report)
    }

    func begin(_ type: Any.Type) {
      count += 1
      inFlight.store(count, ordering: .relaxed)
      current = (type, timer.elapsed())
      if !types.insert(ObjectIdentifier(type)).inserted { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + FirstCallWatch.delay.get()) {
        [weak self, count] in
        if self?.inFlight.load(ordering: .relaxed) == count { self?.report(type) }
      }
    }

    func end() {
      inFlight.store(0, ordering: .relaxed)
      guard let (type, start) = current.take() else { return }
      if timer.elapsed() - start > .seconds(1) { report(type) }
    }
  }
#endif
