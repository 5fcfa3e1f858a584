extension Store {
  /// Waits until nothing is going on.
  ///
  /// It returns at an instant at which nothing is queued or being delivered, and no effect waits or
  /// runs. Under constant load, or with effects that wait on a clock that nobody advances, it never
  /// does. It delivers nothing itself: where the deliveries are made by a loop, that loop must not
  /// wait for this. If the calling task is cancelled, it returns at once.
  ///
  /// An asynchronous effect of the same store would wait for itself; that stops the program with a
  /// message that names the cure. In a child task of an effect's it is not detected.
  public nonisolated(nonsending) func settled() async {
    let completion = Completion()
    let (runner, waits) = locked(.settled) { core, _ in
      (core.runner(for: self), core.settles(completion))
    }
    if runner.isInOwnTask { stopForWaitingForItself("settled()") }
    if !waits { return }
    await completion.wait()
    core.withLock { $0.stopsSettling(completion) }
  }

  /// Dispatches an intent, and waits until all that it causes is over.
  ///
  /// That is its commit, the deliveries of that, its effects, and all of these for the intents that
  /// its effects dispatch by their callbacks before they are over. Effects that are dropped,
  /// replaced or cancelled are over. What subscribers dispatch, what handlers and middleware leave
  /// to a task of their own, and callbacks that are kept longer are not part of it.
  ///
  /// An effect may wait for it. Where the deliveries are made by a loop, that loop must not. If the
  /// calling task is cancelled, it returns at once, and the effects go on.
  ///
  /// - Parameter intent: what should happen.
  public nonisolated(nonsending) func perform(_ intent: any Intent) async {
    let completion = Completion()
    let origin = Origin(cause: .outside, activity: Activity(completion))
    dispatch(intent, from: origin)
    origin.end()
    await completion.wait()
  }

  /// Ends all effects, for good, and waits until their tasks have returned.
  ///
  /// At one instant the store stops taking effects and cancels those that are scheduled or run, so
  /// that nothing that they dispatch is reduced any more (G11). What was queued for synchronous
  /// handlers is still delivered, which this does not wait for. The state stays readable, and
  /// intents still reduce and notify (G2), without their effects. Calling it again waits again, and
  /// if the calling task is cancelled, it returns at once.
  ///
  /// An effect's task that does not heed its cancellation keeps this waiting. An asynchronous
  /// effect of the same store would wait for itself; that stops the program with a message that
  /// names the cure. In a child task of an effect's it is not detected.
  public nonisolated(nonsending) func shutdown() async {
    let runner = locked(.shutdown) { core, _ in core.runner(for: self) }
    if runner.isInOwnTask { stopForWaitingForItself("shutdown()") }
    let completion = Completion()
    let (removed, waits) = core.withLock { core in core.shutDown(runner, completion) }
    removed.finish()
    settleIfIdle()
    if waits { await completion.wait() }
  }
}

extension Store {
  /// Queues a delivery and sees to it that it is made.
  @inlinable
  func enqueue(_ deliver: @escaping @Sendable () -> Void) {
    perform(
      locked(.dispatch) { core, thread in
        core.outbox.append(deliver, by: thread)
        return core.outbox.duty(of: thread)
      })
  }

  /// Those who wait for nothing to be going on, if that is so.
  @usableFromInline
  func takeSettled() -> [Completion] {
    core.withLock { $0.takeSettled() }
  }

  /// Tells those who wait for nothing to be going on, if that is so.
  @usableFromInline
  func settleIfIdle() {
    for completion in takeSettled() { completion.complete() }
  }

  /// Starts asynchronous work that no effect describes.
  @usableFromInline
  func start(_ work: AsyncWork, from origin: Origin?) {
    let origin = Origin(cause: origin?.cause ?? .outside, activity: origin?.activity)
    let runner = locked(.dispatch) { core, _ in core.runner(for: self) }
    runner.deliver(work.run(from: origin))
  }
}

extension Core {
  /// What runs the effects that are scheduled, have tasks, or are waited for.
  @inlinable
  mutating func runner(for store: Store<State>) -> EffectRunner {
    if let runner { return runner }
    let host = EffectHost(
      dispatch: { [weak store] in store?.dispatch($0, from: $1) },
      enqueue: { [weak store] in store?.enqueue($0) },
      takeSettled: { [weak store] in store?.takeSettled() ?? [] })
    let new = EffectRunner(store: host, clock: store.clock)
    runner = new
    return new
  }

  private var isIdle: Bool { outbox.isIdle && runner?.isIdle != false }

  /// Adds one who waits until nothing is going on, unless nothing is.
  ///
  /// The runner, whose effects end without the store's lock, has to know before it is asked: what
  /// ends in between would tell nobody.
  fileprivate mutating func settles(_ completion: Completion) -> Bool {
    settling.append(completion)
    if isIdle { settling.removeLast() }
    return settling.last === completion
  }

  fileprivate mutating func stopsSettling(_ completion: Completion) {
    settling.removeAll { $0 === completion }
  }

  /// Those who waited until now.
  fileprivate mutating func takeSettled() -> [Completion] {
    if settling.isEmpty || !isIdle { return [] }
    defer { settling = [] }
    return settling
  }

  /// Takes no more effects and cancels those there are.
  fileprivate mutating func shutDown(
    _ runner: EffectRunner, _ completion: Completion
  ) -> (Removed, waits: Bool) {
    takesEffects = false
    return runner.shutDown(awaitedBy: completion)
  }
}
