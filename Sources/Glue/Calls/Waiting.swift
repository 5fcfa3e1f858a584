extension Store {
  /// Waits until all pending deliveries have been made.
  ///
  /// Use it to flush, and as back-pressure for a producer that can wait. Dispatched intents are
  /// reduced at once and queued for delivery without bound, so a producer that is faster than its
  /// subscribers and handlers should wait now and then:
  ///
  ///     for (number, line) in lines.enumerated() {
  ///       store.dispatch(ImportIntent.line(line))
  ///       if number % 1000 == 0 { await store.delivered() }
  ///     }
  ///
  /// Calls that were moved to a queue or to the main actor have returned too. The tasks of
  /// asynchronous effects have been started, and are not waited for. It makes no deliveries: a loop
  /// that makes them must not wait for this, nor may a handler or a subscriber of the store. If the
  /// calling task is canceled, it returns at once.
  ///
  /// - Complexity: O(1).
  public nonisolated(nonsending) func delivered() async {
    await wait(
      for: change(.delivered) { [passMark] core, thread in
        core.runtime.waitForDeliveries(by: thread, passing: passMark)
      }, of: .delivered)
  }

  /// Waits until nothing is pending or in flight.
  ///
  /// At that instant no delivery is pending or being made, and no effect waits or runs, except for
  /// lasting ones. No call moved to a queue or to the main actor is pending or running either. Under
  /// constant load it never returns, nor with effects that wait on a test clock that isn't advanced.
  /// It makes no deliveries: a loop that makes them must not wait for this. If the calling task is
  /// canceled, it returns at once.
  ///
  /// An asynchronous effect of the same store would wait for itself; that stops the program with a
  /// message that names the cure. A call in a child task of an effect is not detected.
  ///
  /// - Complexity: O(1); the first call from a task also looks at each effect in flight.
  public nonisolated(nonsending) func settled() async {
    let waiter = read(.settled) { core -> Waiter? in
      if core.runtime.effects.hasTask(currentTask()) { stopForWaitingForItself("settled()") }
      return core.runtime.wait(until: .settled)
    }
    await wait(for: waiter, of: .settled)
  }

  /// Dispatches an intent, and waits until everything that it causes has finished.
  ///
  /// That is its commit, the commit's deliveries, its effects, and all of these for the intents
  /// that its effects dispatch by their callbacks before they end. Dropped, replaced and canceled
  /// effects have finished. These are not part of it:
  ///
  /// - intents that subscribers dispatch;
  /// - subscribers' calls on a queue or the main actor, which may be in flight when it returns:
  ///   ``delivered()`` waits for them;
  /// - work that handlers and middleware leave to a task of their own, and intents by callbacks
  ///   that are kept longer.
  ///
  /// An effect may wait for it. But an effect would wait for itself if it performed an intent whose
  /// effect is ``EffectPolicy/sequential`` and has the same id. That stops the program with a
  /// message that names the cure. It isn't detected in a child task of the effect,
  /// or if an effect without an id performs the intent in between. A loop that makes the deliveries
  /// must not wait for it. If the calling task is canceled, it returns at once, and the effects
  /// continue.
  ///
  /// - Parameter intent: what should happen.
  public nonisolated(nonsending) func perform(_ intent: any Intent) async {
    await wait(for: beginToPerform(intent), of: .perform)
  }

  /// Dispatches an intent.
  ///
  /// - Returns: what completes when everything that the intent causes has finished.
  package func beginToPerform(_ intent: any Intent) -> Completion {
    let completion = Completion()
    let effect = read(.perform) { EffectRun.current(of: $0.runtime.host) }
    let origin = Origin(cause: .outside, scope: PerformScope(completion, awaitedBy: effect))
    dispatch(intent, from: origin)
    change(.perform) { core, _ in core.runtime.effects.endScope(of: origin) }
    return completion
  }
}

extension Store {
  /// Passes a mark in the outbox, for the calls that wait for it.
  var passMark: @Sendable () -> Void {
    { [weak self] in self?.change { core, _ in core.runtime.outbox.passMark() } }
  }

  /// Waits, if there is a condition to wait for.
  ///
  /// - Returns: whether it was met; false if the calling task was canceled before, or the deadline
  ///   has passed.
  @discardableResult
  nonisolated(nonsending) func wait(
    for waiter: Waiter?, of call: StoreCall, until deadline: Duration? = nil
  ) async -> Bool {
    guard let waiter else { return true }
    let alarm = deadline.map { self.alarm(at: $0) { waiter.completion.complete() } }
    await wait(for: waiter.completion, of: call)
    alarm?.cancel()
    return core.withLock { !$0.runtime.remove(waiter) }
  }

  /// Waits for a completion; on an owned clock, no longer than until that can't come any more.
  private nonisolated(nonsending) func wait(
    for completion: Completion, of call: StoreCall
  ) async {
    guard let owner = timer.owner else { return await completion.wait() }
    await owner.wait(for: completion, of: call.rawValue) { unendedEffects }
  }

  /// The time on the store's clock, since the clock came into use.
  package var time: Duration { timer.elapsed() }

  /// Calls a body at a time on the store's clock, or when the returned task is canceled.
  package func alarm(
    at time: Duration, _ body: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: timer.executor) { [timer] in
      await timer.sleep(time)
      body()
    }
  }
}

extension EffectRun {
  /// The effect with an id, one of a host's, whose task is the current one.
  ///
  /// Sequential ones of its id wait for it. Called under the store's lock.
  static func current(of host: EffectHost?) -> EffectRun? {
    guard let enclosing = enclosing.get(), enclosing.host === host,
      enclosing.has(currentTask())
    else {
      return nil
    }
    return enclosing
  }
}
