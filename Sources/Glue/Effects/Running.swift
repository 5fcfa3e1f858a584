// How effects start, wait and end; with no lock held, but for the making of tasks.

extension EffectRunner {
  /// Delivers an effect without a policy to its handlers.
  func deliver(_ run: Run) {
    let startsTasks = run.taskCount > 0 && runs.withLock { $0.startNow(run) }
    call(run, startsTasks)
    if startsTasks { ended(run) } else { run.origin.end() }
  }

  /// Lets a scheduled effect whose turn has come start or wait, unless it was cancelled.
  func takeTurn(_ run: Run) {
    switch runs.withLock({ $0.turn(of: run) }) {
    case .skip: return
    case .wait(let duration):
      let timer = timer(duration) { [weak run] runner in
        if let run { runner.waited(run) }
      }
      if !runs.withLock({ $0.keep(timer, of: run) }) { timer.cancel() }
    case .start(let window):
      if let window, let id = run.schedule?.id { openWindow(for: window, of: id, by: run) }
      call(run, true)
      ended(run)
    }
  }

  /// Calls the synchronous handlers of an effect and starts the tasks of the others, in order.
  private func call(_ run: Run, _ startsTasks: Bool) {
    let callback = Callback { [store, origin = run.origin] in store.dispatch($0, origin) }
    for handler in run.handlers {
      switch handler {
      case .sync(let handle):
        handle(run.effect, callback)
      case .async(let handling):
        if startsTasks, handling.handles(run.effect) { startTask(of: run, handling, callback) }
      }
    }
  }

  /// Even asking for no executor is not free, so that is done only where the clock has one.
  private func startTask(of run: Run, _ handling: AsyncHandling, _ callback: Callback) {
    runs.withLock { runs in
      runs.startTask(of: run) {
        guard let executor else { return Task { await self.work(on: run, handling, callback) } }
        return Task(executorPreference: executor) { await self.work(on: run, handling, callback) }
      }
    }
  }

  private func work(on run: Run, _ handling: AsyncHandling, _ callback: Callback) async {
    await handling.handle(run.effect, callback.dispatch)
    end(run) { runs, removed in runs.taskEnded(of: run, &removed) }
  }

  private func ended(_ run: Run) {
    end(run) { runs, removed in runs.ended(run, &removed) }
  }

  /// Notes that something of an effect has ended, and does what waited for that.
  private func end(_ run: Run?, _ change: (inout Runs, inout Removed) -> Run?) {
    var removed = Removed()
    let (next, isOver, waiting, isSettled) = runs.withLock { runs in
      (
        change(&runs, &removed), run?.phase == .over, runs.takeEnded(),
        runs.isAwaited && runs.isIdle
      )
    }
    if isOver { run?.origin.end() }
    if let next { giveTurn(to: next) }
    for completion in isSettled ? store.takeSettled() + waiting : waiting { completion.complete() }
  }

  private func giveTurn(to run: Run) {
    let place = PlaceInQueue(of: run, in: self)
    store.enqueue { place.takeTurn() }
  }

  /// Ends an effect whose turn never comes, and a window that its start was to open.
  ///
  /// That gives the next one its turn, which may be lost at once: the first of such calls ends all
  /// of them, one after the other, so that they do not nest (G5).
  func lostTurn(of run: Run) {
    if !runs.withLock({ $0.lose(run) }) { return }
    while let run = runs.withLock({ $0.takeLost() }) {
      if let id = run.schedule?.id {
        end(nil) { runs, removed in runs.closeWindow(of: id, openedBy: run.number, &removed) }
      }
      end(run) { runs, removed in runs.endLost(run, &removed) }
    }
  }
}

// MARK: - Time

extension EffectRunner {
  private func waited(_ run: Run) {
    if runs.withLock({ $0.due(run) }) { giveTurn(to: run) }
  }

  private func openWindow(for duration: Duration, of id: EffectID, by run: Run) {
    let timer = timer(duration) { [number = run.number] runner in
      runner.end(nil) { runs, removed in runs.closeWindow(of: id, openedBy: number, &removed) }
    }
    if !runs.withLock({ $0.keep(timer, ofWindowOf: run) }) { timer.cancel() }
  }

  /// Does something after a time, even if it is cancelled: whether it still matters is asked then.
  ///
  /// The time counts from now, not from when the task starts.
  private func timer(
    _ duration: Duration, _ action: @escaping @Sendable (EffectRunner) -> Void
  ) -> Task<Void, Never> {
    func start<C: Clock<Duration>>(on clock: C) -> Task<Void, Never> {
      let deadline = clock.now.advanced(by: min(duration, longestWait))
      return Task(executorPreference: executor) {
        try? await clock.sleep(until: deadline, tolerance: nil)
        action(self)
      }
    }
    return start(on: clock)
  }
}

/// Ninety years: within them the instants of no clock overflow.
private let longestWait = Duration.seconds(90 * 366 * 86_400)

// MARK: - Waiting and ending

extension EffectRunner {
  /// Whether nothing is queued, waiting or running.
  var isIdle: Bool { runs.withLock { $0.isIdle } }

  /// Whether the current task is that of an effect of this runner, which cannot wait for itself.
  ///
  /// A task and what stands for it while it runs have the same hash value.
  var isInOwnTask: Bool {
    guard let current = withUnsafeCurrentTask(body: { $0?.hashValue }) else { return false }
    return runs.withLock { runs in
      runs.members.contains { $0.tasks.contains { $0.hashValue == current } }
    }
  }

  /// Whether it takes no more effects.
  @usableFromInline
  var isShutDown: Bool { runs.withLock { $0.isShutDown } }

  /// Whether the store is to be told when nothing is going on.
  var isAwaited: Bool {
    get { runs.withLock { $0.isAwaited } }
    set { runs.withLock { $0.isAwaited = newValue } }
  }

  /// Cancels everything for good; called under the store's lock.
  ///
  /// - Returns: what to finish unlocked, and whether the completion tells when all tasks ended.
  func shutDown(awaitedBy completion: Completion) -> (Removed, waits: Bool) {
    runs.withLock { runs in (runs.shutDown(), runs.awaitEnd(completion)) }
  }

  /// Cancels everything, as the store goes.
  func end() {
    runs.withLock { $0.shutDown() }.finish()
  }
}
