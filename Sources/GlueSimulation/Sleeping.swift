// `Task.sleep` of a simulated task waits for the virtual time.
//
// The interface is experimental, so it is used only with compilers that are known to have it.

#if compiler(>=6.3)
  @_spi(ExperimentalScheduling) internal import _Concurrency

  @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
  extension StrayTasks: SchedulingExecutor {
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      simulator?.addGlobal(UnownedJob(job), after: (delay as? Duration) ?? .zero)
    }
  }

  @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
  extension SimulatedProcess: SchedulingExecutor {
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      let job = UnownedJob(job)
      simulator.alarm(
        at: simulator.now + ((delay as? Duration) ?? .zero), of: self, .job(job, on: self))
    }
  }
#endif
