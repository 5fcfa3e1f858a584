extension Store {
  /// The effects that are scheduled or have tasks and are not over, in the order of emission.
  package var effectsInFlight: [EffectInFlight] { read(.state) { $0.work.effects.inFlight } }

  /// Cancels the effects that last; they don't start again unless a commit begins them.
  package func cancelLastingEffects() {
    change(.dispatch) { core, _ in core.work.effects.cancelLasting() }
  }

  /// Cancels the effects of some sources, except those that last.
  package func cancelEffects(where isMeant: (Cause) -> Bool) {
    change { effects, outbox, thread in
      for run in effects.cancel(where: isMeant) { outbox.append(.turn(run), by: thread) }
    }
    finishDeferred(on: currentThread())
  }

  /// What calls the handlers of effects, made where there is none; called under the lock.
  @inlinable @discardableResult
  func prepareRunner(in core: inout Core<State>) -> EffectRunner {
    if let runner = core.work.runner { return runner }
    let runner = EffectRunner(
      clock: clock, dispatch: { [weak self] in self?.dispatch($0, from: $1) },
      change: { [weak self] in self?.change($0) })
    core.work.runner = runner
    return runner
  }

  /// The same, if effects need no handler; called under the lock.
  @inlinable @inline(never)
  func prepareRunner(for effects: [any Effect], in core: inout Core<State>) {
    if effects.contains(where: { isScheduling($0) }) { prepareRunner(in: &core) }
  }

  /// Changes the effects and the outbox, and drains what is enqueued.
  ///
  /// What is deferred is left to the caller, unless something is to be delivered.
  @inlinable
  func change(_ body: EffectRunner.Change) {
    let thread = currentThread()
    let next = core.withLock(by: thread, ifHeld: { stopForUseWhileReducing(.dispatch) }) { core in
      body(&core.work.effects, &core.work.outbox, thread)
      return core.work.afterUnlock(on: thread)
    }
    if next?.drains == true { finish(next, on: thread) }
  }

  /// Adds what most stores do without: monitors that watch effects, lasting effects, and the search
  /// for problems.
  @usableFromInline
  func attach(
    _ monitors: [any Monitor<State>], _ lasting: (@Sendable (State) -> [LastingEffect])?,
    _ report: (@Sendable (Problem) -> Void)?
  ) {
    let watching = monitors.compactMap { $0 as? any EffectMonitor<State> }
    let state = core.withLock { $0.state }
    let effects = lasting.map { LastingEffects(in: state, $0) }
    core.withLock { core in
      core.lasting = effects
      core.isObserved = !monitors.isEmpty || effects != nil
      core.work.effects.problems = report.map { ProblemReport(to: $0) }
      if watching.isEmpty { return }
      core.work.effects.isWatched = true
      core.work.watchEffect = { event in for monitor in watching { monitor.observe(event) } }
    }
  }

  /// Ends what goes on when the store goes, and gives the journal and the middleware the last state.
  @inlinable
  func end() {
    let thread = currentThread()
    let (hasDeferred, isRecorded) = core.withLock(by: thread) { core in
      if core.work.runner != nil { core.work.effects.cancelAll() }
      return (core.work.deferToThread(thread), core.journal != nil)
    }
    if isRecorded || box != nil { handOutLastState() }
    if hasDeferred { finishDeferred(on: thread) }
  }

  @usableFromInline
  func handOutLastState() {
    let (state, commits, journal) = core.withLock { ($0.state, $0.work.commits, $0.journal) }
    journal?.end(state, commits)
    box?.detach(last: state)
  }
}

/// Prints problems to standard error in debug builds, and looks for none in others.
@usableFromInline let defaultReport: (@Sendable (Problem) -> Void)? = {
  #if DEBUG
    { problem in writeToStandardError("\(problem)") }
  #else
    nil
  #endif
}()
