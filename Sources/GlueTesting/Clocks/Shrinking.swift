/// Searches for the shortest order of its jobs in which a test still fails.
struct Shrinking {
  let framework: Framework
  let body: @Sendable (TestClock) async throws -> Void

  /// How many more times the test is run.
  private var budget = 200

  init(framework: Framework, body: @escaping @Sendable (TestClock) async throws -> Void) {
    (self.framework, self.body) = (framework, body)
  }

  /// The jobs of the shortest order, as a part of a message.
  ///
  /// It is empty if the test doesn't fail again, or would report the failure.
  mutating func shortestOrder(from choices: [Int]) async -> String {
    guard var best = await failing(choices) else { return "" }
    if let usual = await failing([]) {
      best = usual
    } else {
      await cut(&best)
      await straighten(&best)
    }
    let clock = TestClock(order: .chosen(best[...]), isRecording: true)
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
    if budget == 0 { return nil }
    budget -= 1
    let clock = TestClock(order: .chosen(choices[...]), isRecording: false)
    return await fails(on: clock) ? choices : nil
  }

  private func fails(on clock: TestClock) async -> Bool {
    await framework.failsSilently { [body] in try await run(body, on: clock) }
  }
}

/// The jobs of a failing order, as a part of a message.
func message(_ transcript: [String], choices: [Int], isShortest: Bool) -> String {
  let other = choices.count { $0 > 0 }
  let order = isShortest ? "shortest order that still fails" : "order that fails"
  let start =
    other == 0
    ? "No race is needed: it fails where the oldest task always runs first:"
    : "The \(order), in which another task than the oldest runs first \(count(other, "time")):"
  let lines = transcript.prefix(40).enumerated().map { "\($0 + 1). \($1)" }
  let rest = transcript.count - lines.count
  return "\n" + start + indented(lines + (rest > 0 ? ["… and \(rest) more"] : []))
}
