extension Store {
  /// The effects that are scheduled or have tasks and are not over, in the order of their emission.
  package var effectsInFlight: [EffectInFlight] {
    locked(.state) { core, _ in core.effects.inFlight }
  }

  /// Changes what is known of the effects, and has what is queued then delivered.
  ///
  /// - Returns: what is to be finished when the store is not used any more.
  @usableFromInline
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
  @usableFromInline
  func start(_ work: AsyncWork, from origin: Origin?) {
    let runner = runner(for: .dispatch)
    let activity = core.withLock { _ in origin?.activity }
    let origin = Origin(cause: origin?.cause ?? .outside, activity: activity)
    runner.deliver(work.run(from: origin), isNew: true)
  }

  /// What calls the handlers of effects, made when it is asked for first.
  ///
  /// It is made unlocked, as it asks the clock for its time.
  @inlinable
  func runner(for call: StoreCall) -> EffectRunner {
    if let runner = locked(call, { core, _ in core.runner }) { return runner }
    let host = EffectHost(
      dispatch: { [weak self] in self?.dispatch($0, from: $1) },
      change: { [weak self] in self?.change($0) ?? [] })
    let new = EffectRunner(store: host, clock: clock)
    return locked(call) { core, _ in
      let runner = core.runner ?? new
      core.runner = runner
      return runner
    }
  }

  /// Tells those monitors what becomes of effects that want to be told.
  @usableFromInline
  func watchEffects(for monitors: [any Monitor<State>]) {
    let watching = monitors.compactMap { $0 as? any EffectMonitor<State> }
    if watching.isEmpty { return }
    core.withLock { core in
      core.effects.isWatched = true
      core.tellOfEffect = { event in for monitor in watching { monitor.observe(event) } }
    }
  }
}
