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
    await wait(for: change(.delivered) { core, thread in core.work.waitForDeliveries(by: thread) })
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
    let waiter = read(.settled) { core -> Waiter? in
      if core.work.effects.current?.isLasting == false { stopForWaitingForItself("settled()") }
      return core.work.isIdle ? nil : core.work.wait(until: .settled)
    }
    await wait(for: waiter)
  }

  /// Dispatches an intent, and waits until all that it causes is over.
  ///
  /// That is its commit, the deliveries of that, its effects, and all of these for the intents that
  /// its effects dispatch by their callbacks before they are over. Effects that are dropped,
  /// replaced or cancelled are over. These are not part of it:
  ///
  /// - what subscribers dispatch, and their calls on a queue or the main actor, which are handed over
  ///   by then but may not have run: ``delivered()`` waits for them;
  /// - what handlers and middleware leave to a task of their own, and callbacks that are kept longer.
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
    let effect = EnclosingEffect.current(of: read(.perform) { $0.work.runner })
    let origin = Origin(cause: .outside, activity: Activity(completion, awaitedBy: effect))
    dispatch(intent, from: origin)
    change(.perform) { core, _ in core.work.effects.end(origin) }
    await completion.wait()
  }
}

extension Store {
  /// Waits, if there is something to wait for.
  ///
  /// - Returns: whether that has happened; not so if the calling task was cancelled before, or the
  ///   deadline has passed.
  @discardableResult
  nonisolated(nonsending) func wait(
    for waiter: Waiter?, until deadline: Duration? = nil
  ) async -> Bool {
    guard let waiter else { return true }
    let alarm = deadline.map { [timer] deadline in
      Task(executorPreference: timer.executor) {
        await timer.sleep(until: deadline)
        waiter.completion.complete()
      }
    }
    await waiter.completion.wait()
    alarm?.cancel()
    return core.withLock { !$0.work.remove(waiter) }
  }
}
