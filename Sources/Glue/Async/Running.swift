// How effects start, wait and end; all of it with no lock held.

extension EffectRunner {
  /// Delivers an effect without a policy to its handlers.
  func deliver(_ run: Run) {
    let number = run.taskCount == 0 ? nil : runs.withLock { $0.start(run) }
    call(run, number)
    if let number { ended(number) } else { run.origin.end() }
  }

  /// Lets a scheduled effect whose turn has come start or wait, unless it was cancelled.
  func takeTurn(_ number: Int) {
    switch runs.withLock({ $0.turn(of: number) }) {
    case .skip: return
    case .wait(let duration):
      let timer = timer(duration) { $0.waited(number) }
      if !runs.withLock({ $0.keep(timer, of: number) }) { timer.cancel() }
    case .start(let run, let window):
      if let window { open(window.id, for: window.1, by: number) }
      call(run, number)
      ended(number)
    }
  }

  /// Calls the synchronous handlers of an effect and starts the tasks of the others, in order.
  ///
  /// Without a number, after the shutdown, no tasks are started.
  private func call(_ run: Run, _ number: Int?) {
    let callback = Callback { [origin = run.origin] in self.store.dispatch($0, origin) }
    for handler in run.handlers {
      switch handler {
      case .sync(let handle):
        handle(run.effect, callback)
      case .async(let handling):
        guard let number, handling.handles(run.effect) else { continue }
        start(number) { await handling.handle(run.effect, callback.dispatch) }
      }
    }
  }

  private func start(_ number: Int, _ work: @escaping @Sendable () async -> Void) {
    let task = Task(executorPreference: executor) {
      await EffectTask.run(for: self, work)
      self.end { runs, removed in runs.taskEnded(of: number, &removed) }
    }
    if !runs.withLock({ $0.keep(task, of: number) }) { task.cancel() }
  }

  private func ended(_ number: Int) {
    end { runs, removed in runs.ended(number, &removed) }
  }

  /// Notes that something has ended, and does what waited for that.
  fileprivate func end(_ change: (inout Runs, inout Removed) -> Int?) {
    var removed = Removed()
    let (next, waiting, isSettled) = runs.withLock { runs in
      (change(&runs, &removed), runs.takeEnded(), runs.isAwaited && runs.isIdle)
    }
    removed.finish()
    if let next { giveTurn(to: next) }
    for completion in waiting { completion.complete() }
    if isSettled { store.settleIfIdle() }
  }

  private func giveTurn(to number: Int) {
    let place = PlaceInQueue(of: number, in: self)
    store.enqueue { place.takeTurn() }
  }

  /// Ends an effect whose turn never comes, and a window that its start was to open.
  func lostTurn(of number: Int) {
    end { runs, removed in runs.closeWindow(openedBy: number, &removed) }
    end { runs, removed in runs.lost(number, &removed) }
  }
}

// MARK: - Time

extension EffectRunner {
  private func waited(_ number: Int) {
    if runs.withLock({ $0.due(number) }) { giveTurn(to: number) }
  }

  private func open(_ id: EffectID, for duration: Duration, by number: Int) {
    let timer = timer(duration) { runner in
      runner.end { runs, removed in runs.closeWindow(of: id, openedBy: number, &removed) }
    }
    if !runs.withLock({ $0.keep(timer, ofWindowOf: number, id) }) { timer.cancel() }
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

  /// Whether the store is to be told when that is so.
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
