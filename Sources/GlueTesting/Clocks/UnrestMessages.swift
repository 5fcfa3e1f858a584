internal import Glue

extension Unrest {
  /// The message of a failure.
  ///
  /// - Parameters:
  ///   - call: the call that can't end.
  ///   - executor: the executor whose tasks it waits for.
  ///   - waiting: describes what it waits for, a line each.
  /// - Returns: the cause, what the call waits for, and the cure.
  func message(in call: String, on executor: TestExecutor, waiting: [String]) -> String {
    let list = waiting.isEmpty ? "." : ":" + indented(waiting)
    switch self {
    case .stalled:
      return """
        \(call) can't end: the tasks of the clock rest, and nothing has woken one for \
        \(executor.limit) of real time\(list)
        Advance the clock, as by `await clock.run()`, or see to what they wait for. Work outside of \
        the clock's executor that takes longer needs a `limit` of the test store, or \
        `explore(within:)`.
        """
    case .blocked:
      return """
        \(call) can't end: a job of the clock blocks its thread, and has used no processor time for \
        \(executor.limit)\(list)
        Wait by `await`, not for a semaphore, a lock, a thread or a read.
        """
    case .looping:
      return """
        \(call) can't end: a handler has dispatched \(executor.limits.commits) intents in a loop \
        without a suspension\(list)
        Its thread was stopped.
        """
    case .endless(let excess, _):
      return """
        \(call) can't end, because tasks of the clock don't come to rest: \
        \(excess.words(for: executor.limits))\(list)
        \(excess.cure) These tasks were stopped.
        """
    }
  }
}

extension Pace.Excess {
  fileprivate func words(for limits: Limits) -> String {
    switch self {
    case .jobs:
      "they have run \(limits.steps) jobs, in which no intent came, no effect began and the clock "
        + "was not advanced"
    case .sleeps:
      "they have slept for no time again and again, \(limits.steps) jobs and sleeps in all, in "
        + "which no intent came, no effect began and the clock was not advanced"
    case .commits:
      "\(limits.commits) intents have followed one another while the clock was not advanced"
    case .effects:
      "\(limits.effects) effects have followed one another while the clock was not advanced"
    }
  }

  fileprivate var cure: String {
    switch self {
    case .jobs: "A handler must not poll, as by `Task.yield()`: have it wait for an event."
    case .sleeps: "Have a handler sleep for a time, and on a `TestClock`, or wait for an event."
    case .commits, .effects:
      "Likely an infinite loop between a handler, or a `Send`, and the reducer."
    }
  }
}

extension TestExecutor {
  fileprivate var limit: Duration { patience ?? limits.strictPatience }
}
