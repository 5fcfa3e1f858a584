internal import Foundation
internal import Glue

// The Swift runtime's own hooks, which are no official interface. Only users' code needs them: tasks
// without an executor (`Task {}`, default actors of these) and `Task.sleep`. Glue's own code names
// its executors.

private typealias Original = @convention(thin) (UnownedJob) -> Void
private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
private typealias DelayOriginal = @convention(thin) (UInt64, UnownedJob) -> Void
private typealias DelayHook = @convention(thin) (UInt64, UnownedJob, DelayOriginal) -> Void
private typealias DeadlineOriginal =
  @convention(thin) (Int64, Int64, Int64, Int64, Int32, UnownedJob) -> Void
private typealias DeadlineHook =
  @convention(thin) (Int64, Int64, Int64, Int64, Int32, UnownedJob, DeadlineOriginal) -> Void

/// Whether tasks without an executor run in the simulation that makes them: whether the hooks exist.
let hooksAreInstalled: Bool = {
  guard let library = dlopen(nil, RTLD_NOW),
    let global = dlsym(library, "swift_task_enqueueGlobal_hook"),
    let delayed = dlsym(library, "swift_task_enqueueGlobalWithDelay_hook"),
    let deadline = dlsym(library, "swift_task_enqueueGlobalWithDeadline_hook")
  else { return false }
  let hook: Hook = { job, original in
    guard let simulator = Simulator.onThisThread else { return original(job) }
    simulator.addGlobal(job)
  }
  let delayHook: DelayHook = { delay, job, original in
    guard let simulator = Simulator.onThisThread else { return original(delay, job) }
    simulator.addGlobal(job, after: .nanoseconds(Int64(clamping: delay)))
  }
  let deadlineHook: DeadlineHook = { seconds, rest, slack, slackRest, clock, job, original in
    guard let simulator = Simulator.onThisThread else {
      return original(seconds, rest, slack, slackRest, clock, job)
    }
    var now = timespec()
    clock_gettime(clock == 1 ? suspendingOrBootTime : CLOCK_MONOTONIC, &now)
    let delay =
      Duration.seconds(seconds - Int64(now.tv_sec)) + .nanoseconds(rest - Int64(now.tv_nsec))
    simulator.addGlobal(job, after: roundedDelay(delay))
  }
  global.assumingMemoryBound(to: Hook?.self).pointee = hook
  delayed.assumingMemoryBound(to: DelayHook?.self).pointee = delayHook
  deadline.assumingMemoryBound(to: DeadlineHook?.self).pointee = deadlineHook
  return true
}()

#if canImport(Darwin)
  private let suspendingOrBootTime = CLOCK_MONOTONIC_RAW
#else
  private let suspendingOrBootTime = CLOCK_BOOTTIME
#endif

/// A delay without the real time that has passed since the call.
///
/// That is less than a millisecond, unless the thread had to wait for a processor. The delay is then the
/// roundest one that the wait allows.
func roundedDelay(_ delay: some DurationProtocol) -> Duration {
  guard let delay = delay as? Duration, let simulator = Simulator.onThisThread else { return .zero }
  let (rest, wait) = (delay / .milliseconds(1), simulator.interruption / .milliseconds(1))
  let shortest = Int64(rest.rounded(.up))
  if wait > 0.5 {
    for unit: Int64 in [1000, 100, 10] {
      let multiple = (shortest + unit - 1) / unit * unit
      if Double(multiple) <= rest + wait + 1 { return .milliseconds(max(0, multiple)) }
    }
  }
  return .milliseconds(max(0, shortest))
}

/// A moment in real time, and how long its thread had run by then.
struct ProcessorTime: Sendable {
  private let now = ContinuousClock.now
  private let running: Duration

  init() {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    running = .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// For how much real time the thread, or one before it, has not run since this moment.
  var interruption: Duration {
    let current = ProcessorTime()
    return current.now - now - max(.zero, current.running - running)
  }
}
