extension Store {
  /// Waits until all that is queued now has been delivered.
  ///
  /// That is a flush, and back-pressure for a producer that can wait: what it dispatches is reduced
  /// at once and queued for delivery without bound, so one that is faster than its subscribers and
  /// handlers waits now and then:
  ///
  ///     for (number, line) in lines.enumerated() {
  ///       store.dispatch(ImportIntent.line(line))
  ///       if number % 1000 == 0 { await store.delivered() }
  ///     }
  ///
  /// Calls that were moved to a queue or to the main actor have returned too; the tasks of
  /// asynchronous effects have been started, and are not waited for. It delivers nothing itself:
  /// where the deliveries are made by a loop, that loop must not wait for this, nor a handler or a
  /// subscriber of the store. If the calling task is cancelled, it returns at once.
  ///
  /// - Complexity: O(1).
  public nonisolated(nonsending) func delivered() async {
    let completion = Completion()
    guard let waiters = flush(for: completion, onlyUnderWay: false) else { return }
    await completion.wait()
    stopWaiting(completion, waiters)
  }

  /// Waits until nothing is going on.
  ///
  /// It returns at an instant at which nothing is queued or being delivered, no call that was moved
  /// to a queue or to the main actor is due or running, and no effect waits or runs. Under
  /// constant load, or with effects that wait on a clock that nobody advances, it never does. It
  /// delivers nothing itself: where the deliveries are made by a loop, that loop must not wait for
  /// this. If the calling task is cancelled, it returns at once.
  ///
  /// An asynchronous effect of the same store would wait for itself; that stops the program with a
  /// message that names the cure. In a child task of an effect's it is not detected.
  public nonisolated(nonsending) func settled() async {
    let completion = Completion()
    let waits = locked(.settled) { core, _ in
      if core.effects.isInSettlingTask { stopForWaitingForItself("settled()") }
      if !core.isIdle { core.settling.append(completion) }
      return !core.isIdle
    }
    if !waits { return }
    await completion.wait()
    core.withLock { core in core.settling.removeAll { $0 === completion } }
  }

  /// Dispatches an intent, and waits until all that it causes is over.
  ///
  /// That is its commit, the deliveries of that, its effects, and all of these for the intents that
  /// its effects dispatch by their callbacks before they are over. Effects that are dropped,
  /// replaced or cancelled are over. What subscribers dispatch, what handlers and middleware leave
  /// to a task of their own, and callbacks that are kept longer are not part of it.
  ///
  /// An effect may wait for it. But one that performs an intent whose effect is
  /// ``EffectPolicy/sequential`` and has the same id would wait for itself: that stops the program
  /// with a message that names the cure. In a child task of the effect's, and where an effect
  /// without an id performs the intent in between, it is not detected. Where the deliveries are
  /// made by a loop, that loop must not wait for it. If the calling task is cancelled, it returns at
  /// once, and the effects go on.
  ///
  /// - Parameter intent: what should happen.
  public nonisolated(nonsending) func perform(_ intent: any Intent) async {
    let completion = Completion()
    let origin = Origin(
      cause: .outside, activity: Activity(completion, awaitedBy: enclosingEffect))
    dispatch(intent, from: origin)
    finishLeftovers { $0.effects.end(origin) }
    await completion.wait()
  }
}

extension Store {
  private var enclosingEffect: Run? {
    EnclosingEffect.current(of: locked(.perform) { core, _ in core.runner })
  }

  /// Has somebody wait until all that is queued now has been delivered, or until the calls have
  /// returned that run already.
  ///
  /// - Returns: those who wait for the same; nil if there is nothing to wait for.
  func flush(for completion: Completion, onlyUnderWay: Bool) -> Waiters? {
    let (waiters, followUp) = locked(.delivered) { core, thread in
      let waiters =
        onlyUnderWay
        ? core.outbox.flushUnderWay(for: completion)
        : core.outbox.flush(for: completion, by: thread) { [weak self] in self?.pass($0) }
      return (waiters, core.duty(of: thread))
    }
    carryOut(followUp)
    return waiters
  }

  /// Has a flush that has come through the outbox wait for the calls that were moved before.
  private func pass(_ flush: Flush) {
    core.withLock { $0.outbox.moved.wait(flush) }
  }

  /// Removes one who does not wait any more.
  ///
  /// - Returns: whether what it has waited for has not happened.
  @discardableResult
  func stopWaiting(_ completion: Completion, _ waiters: Waiters?) -> Bool {
    let isInVain = waiters?.remove(completion) == true
    var forgotten = core.withLock { $0.outbox.moved.takeForgotten() }
    release(&forgotten)
    return isInVain
  }
}

extension Core {
  /// Whether nothing is going on.
  var isIdle: Bool { outbox.isIdle && effects.isIdle }

  /// Lets those go on who wait until nothing is going on, if nothing is.
  mutating func tellSettled() {
    if settling.isEmpty || !isIdle { return }
    effects.leftovers += settling.map { .completion($0) }
    settling = []
  }
}
