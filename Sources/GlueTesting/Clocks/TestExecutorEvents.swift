internal import Dispatch
internal import Glue

// Events that others report to an executor.

extension TestExecutor {
  /// Records that the current task begins to work for an effect.
  func note(_ effect: any Effect) {
    jobs.withLock { jobs in
      jobs.pace.begin(effect)
      guard let task = jobs.current.map({ "\($0)" }) else { return }
      jobs.effects[task] = effect
      jobs.transcript?.name(text(of: effect))
    }
  }

  /// Names the current task for the transcript.
  func name(_ text: @autoclosure () -> String) {
    jobs.withLock { $0.transcript?.name(text()) }
  }

  /// Records that the current task's work for an effect has ended.
  func noteEnd() {
    let effect = jobs.withLock { jobs in
      jobs.current.flatMap { jobs.effects.removeValue(forKey: "\($0)") }
    }
    withExtendedLifetime(effect) {}
  }
}

extension TestExecutor {
  /// Records that the clock was advanced.
  func noteAdvance() {
    jobs.withLock { jobs in
      jobs.pace.reset()
      jobs.events += 1
    }
  }

  /// Records a commit.
  ///
  /// - Returns: whether there are too many, so that its effects should be dropped.
  func noteCommit() -> Bool {
    jobs.withLock { jobs in
      jobs.pace.commit()
      return jobs.pace.isOver
    }
  }

  /// Records that a handler dispatches an intent; a job that does nothing else never continues.
  func noteDispatch() {
    let thread = currentThread()
    let ended = jobs.withLock { jobs in
      jobs.thread?.number == thread && jobs.pace.dispatch() ? jobs.endWaits(for: .looping) : nil
    }
    guard let ended else { return }
    for wait in ended { wait.completion.complete() }
    while true { DispatchSemaphore(value: 0).wait() }
  }

  /// Records that the current task sleeps for no time, which is no suspension, unless it does
  /// nothing else.
  nonisolated(nonsending) func noteSleep() async {
    let thread = currentThread()
    let isOver = jobs.withLock { jobs in
      if jobs.thread?.number != thread { return false }
      jobs.pace.sleep()
      if jobs.pace.isNearlyOver, let job = jobs.current { jobs.pace.lastTasks.insert("\(job)") }
      return jobs.pace.isOver
    }
    if isOver { await Task.yield() }
  }
}
