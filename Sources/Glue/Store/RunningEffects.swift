extension Store {
  /// The effects that are scheduled or have tasks and are not over, in the order of their emission.
  package var effectsInFlight: [EffectInFlight] {
    locked(.state) { core, _ in core.effects.inFlight }
  }

  /// Cancels the effects that last; they do not start again unless a commit begins them.
  package func cancelLastingEffects() {
    var leftovers = change { engine, _, _ in engine.cancelLasting() }
    leftovers.finish()
  }

  /// Changes what is known of the effects, and has what is queued then delivered.
  ///
  /// - Returns: what is to be finished when the store is not used any more.
  @inlinable
  func change(_ body: EffectHost.Change) -> [Leftover] {
    let followUp = locked(.dispatch) { core, thread in
      body(&core.effects, &core.outbox, thread)
      return core.takeDuty(of: thread)
    }
    if !followUp.duty.delivers && !followUp.duty.releases { return followUp.leftovers }
    carryOut(followUp)
    return []
  }

  /// Starts asynchronous work that no effect describes.
  @inlinable
  func start(_ work: AsyncWork, from origin: Origin?) {
    let (runner, activity) = locked(.dispatch) { core, _ in
      (prepareRunner(in: &core), origin?.activity)
    }
    runner.start(work, from: Origin(cause: origin?.cause ?? .outside, activity: activity))
  }

  /// Tells of a problem, if somebody is told.
  @usableFromInline
  func tell(of problem: Problem) {
    if report == nil { return }
    locked(.dispatch) { core, _ in core.effects.report(problem) }
    finishLeftovers()
  }

  /// What calls the handlers of effects.
  func runner(for call: StoreCall) -> EffectRunner {
    locked(call) { core, _ in prepareRunner(in: &core) }
  }

  /// Sees to it that there is something that calls the handlers of effects; called under the lock.
  @inlinable @discardableResult
  func prepareRunner(in core: inout Core<State>) -> EffectRunner {
    if let runner = core.runner { return runner }
    let host = EffectHost(
      dispatch: { [weak self] in self?.dispatch($0, from: $1) },
      change: { [weak self] in self?.change($0) ?? [] })
    let runner = EffectRunner(store: host, clock: clock)
    core.runner = runner
    return runner
  }

  /// Sees to it where there are effects that need no handler; called under the lock.
  @inlinable @inline(never)
  func prepareRunner(for effects: [any Effect], in core: inout Core<State>) {
    if effects.contains(where: { isScheduling($0) }) { prepareRunner(in: &core) }
  }

  /// Adds what most stores do without: monitors that watch effects, effects that last, and the
  /// search for problems.
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
      core.effects.problems = report.map { ProblemReport(to: $0) }
      if watching.isEmpty { return }
      core.effects.isWatched = true
      core.tellOfEffect = { event in for monitor in watching { monitor.observe(event) } }
    }
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
