internal import Foundation
internal import Glue

// The Swift runtime's own hooks, which are no official interface. Users' code needs them, for tasks
// without an executor (`Task {}`, default actors of these), `Task.sleep`, and the main actor. Glue's
// other code names its executors.

private typealias Original = @convention(thin) (UnownedJob) -> Void
private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
private typealias MainOriginal = @convention(thin) () -> UnownedSerialExecutor
private typealias MainHook = @convention(thin) (MainOriginal) -> UnownedSerialExecutor
private typealias DelayOriginal = @convention(thin) (UInt64, UnownedJob) -> Void
private typealias DelayHook = @convention(thin) (UInt64, UnownedJob, DelayOriginal) -> Void
private typealias DeadlineOriginal =
  @convention(thin) (Int64, Int64, Int64, Int64, Int32, UnownedJob) -> Void
private typealias DeadlineHook =
  @convention(thin) (Int64, Int64, Int64, Int64, Int32, UnownedJob, DeadlineOriginal) -> Void

/// Whether tasks without an executor, and the main actor, run in the simulation that uses them:
/// whether the hooks exist.
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
  let mainHook: MainHook = { original in
    Simulator.onThisThread?.mainActor.asUnownedSerialExecutor() ?? original()
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
    simulator.addGlobal(job, after: delay)
  }
  global.assumingMemoryBound(to: Hook?.self).pointee = hook
  dlsym(library, "swift_task_getMainExecutor_hook")?
    .assumingMemoryBound(to: MainHook?.self).pointee = mainHook
  delayed.assumingMemoryBound(to: DelayHook?.self).pointee = delayHook
  deadline.assumingMemoryBound(to: DeadlineHook?.self).pointee = deadlineHook
  return true
}()

#if canImport(Darwin)
  private let suspendingOrBootTime = CLOCK_MONOTONIC_RAW
#else
  private let suspendingOrBootTime = CLOCK_BOOTTIME
#endif
