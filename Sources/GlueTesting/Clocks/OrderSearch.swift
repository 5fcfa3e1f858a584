internal import Glue

/// Searches for a short order of its jobs in which a test still fails, or still doesn't end.
struct OrderSearch {
  private let framework: Framework
  private let body: @Sendable (TestClock) async throws -> Void

  /// The executor of the run that has failed.
  private let executor: TestExecutor

  /// Why that didn't end, if so.
  private let unrest: Unrest?

  /// How many more times the test is run, and about how many more jobs.
  private var budget = 200
  private var jobBudget = 500_000

  init(
    framework: Framework, body: @escaping @Sendable (TestClock) async throws -> Void,
    _ executor: TestExecutor, unrest: Unrest?
  ) {
    (self.framework, self.body) = (framework, body)
    (self.executor, self.unrest) = (executor, unrest)
  }

  /// The jobs of the shortest order found, as a part of a message.
  ///
  /// It is empty if the test doesn't fail again. Where it can't be run again without reporting its
  /// failures, or where work outside could end it, the order is the one that has failed.
  mutating func shortestOrder() async -> String {
    let ran = executor.transcript
    if !ran.isEmpty { return message(ran, choices: executor.choices, isShortest: false) }
    if isStalled, !executor.isClosed { return await transcriptAgain() }
    guard var best = await failing(executor.choices) else { return "" }
    if let usual = await failing([]) {
      best = usual
    } else {
      await cut(&best)
      await straighten(&best)
    }
    let clock = clock(choices: best, isRecording: true)
    guard await fails(on: clock) else { return "" }
    let transcript = clock.ownExecutor.transcript
    return message(transcript, choices: best, isShortest: true)
  }

  /// Finds an end after which the oldest job can always run first.
  private mutating func cut(_ choices: inout [Int]) async {
    var start = 0
    while start < choices.count {
      let middle = start + (choices.count - start) / 2
      if let shorter = await failing(Array(choices[..<middle])) {
        choices = shorter
      } else {
        start = middle + 1
      }
    }
  }

  /// Runs the oldest job first wherever that still fails.
  private mutating func straighten(_ choices: inout [Int]) async {
    for index in choices.indices.reversed() where choices[index] > 0 {
      var straighter = choices
      straighter[index] = 0
      if let failing = await failing(straighter) { choices = failing }
    }
    while choices.last == 0 { choices.removeLast() }
  }

  /// The choices, if the test fails with them.
  private mutating func failing(_ choices: [Int]) async -> [Int]? {
    if budget == 0 || jobBudget < executor.jobCount { return nil }
    budget -= 1
    return await fails(on: clock(choices: choices, isRecording: false)) ? choices : nil
  }

  private func clock(choices: [Int], isRecording: Bool) -> TestClock {
    let executor = TestExecutor(
      order: .chosen(choices[...]), isRecording: isRecording, endsAtRest: executor.isClosed)
    executor.patience = executor.limits.strictPatience
    return TestClock(executor, at: .nowhere)
  }

  /// Whether the test fails, or doesn't end, as in the run before.
  private mutating func fails(on clock: TestClock) async -> Bool {
    let unrest = Locked<Unrest?>(nil)
    let fails = await framework.failsSilently { [body] in
      let hang = try await run(body, on: clock)
      unrest.withLock { $0 = hang?.unrest }
    }
    jobBudget -= clock.ownExecutor.jobCount
    switch unrest.withLock({ $0 }) {
    case nil: return fails && self.unrest == nil
    case .stalled where executor.isClosed: return isStalled
    case .stalled, .blocked, .looping, .endless:
      budget = 0
      return false
    }
  }

  private var isStalled: Bool { if case .stalled = unrest { true } else { false } }

  /// The jobs of the run before, or of one that has ended earlier, because work outside takes long.
  private func transcriptAgain() async -> String {
    let clock = clock(choices: executor.choices, isRecording: true)
    clock.ownExecutor.patience = executor.patience.map { $0 / 10 }
    _ = await framework.failsSilently { [body] in _ = try await run(body, on: clock) }
    return message(clock.ownExecutor.transcript, choices: executor.choices, isShortest: false)
  }
}

/// The jobs of a failing order, as a part of a message.
func message(_ transcript: [String], choices: [Int], isShortest: Bool) -> String {
  let other = choices.count { $0 > 0 }
  let order = isShortest ? "shortest order found that still fails" : "order that fails"
  let start =
    other == 0
    ? "No race is needed: it fails where the oldest task always runs first:"
    : "The \(order), in which another task than the oldest runs first \(count(other, "time")):"
  let lines = transcript.prefix(40).enumerated().map { "\($0 + 1). \($1)" }
  let rest = transcript.count - lines.count
  return "\n" + start + indented(lines + (rest > 0 ? ["… and \(rest) more"] : []))
}
