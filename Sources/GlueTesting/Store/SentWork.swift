internal import Glue

/// The work of an intent that a test has sent: that of its effects, and of the effects of the
/// intents that these dispatch.
///
///     let typing = await test.send(SearchIntent.typed("glue"))
///     await typing.cancel()
///
/// Use it for work that another part of the program ends, such as a view that disappears. Lasting
/// effects follow from the state, so they don't belong to it.
public struct SentWork<State: Sendable> {
  let test: TestStore<State>
  let name: String

  /// The numbers of the intent's commits.
  let commits: Range<Int>

  /// Cancels the effects that wait or run, like ``/Glue/CancelEffects``, and returns when all tasks
  /// rest.
  ///
  /// It fails the test if the intent has had no effects.
  ///
  /// - Parameters:
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func cancel(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let caused = test.ledger.commits(causedBy: commits)
    if !test.ledger.emissions.contains(where: { $0.cause.isCaused(by: caused) }) {
      return test.fail("\(name) has no effects, so there is no work to cancel.", at: place)
    }
    await test.run(in: "`cancel`", at: place) { [store = test.store] in
      store.cancelEffects { $0.isCaused(by: caused) }
    }
  }

  /// Fails the test if an effect still waits or runs when all tasks rest.
  ///
  /// It does not advance the clock.
  ///
  /// - Parameters:
  ///   - limit: how much real time effects have that run outside of the clock's executor; the
  ///     store's ``TestStore/limit``, if nil.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func finish(
    within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    defer { test.problems.check(at: place) }
    await test.rest(in: "`finish`", at: place)
    let end = ContinuousClock.now.advanced(by: limit ?? test.limit ?? .zero)
    while ContinuousClock.now < end, !Task.isCancelled {
      let count = test.watch.endedCount
      if left.isEmpty { return }
      await wait(atMost: ContinuousClock.now.duration(to: end)) { [watch = test.watch] in
        await watch.ending.wait(unless: { watch.endedCount > count })
      }
      await test.rest(in: "`finish`", at: place)
    }
    let left = left
    if left.isEmpty { return }
    test.fail(
      "The work of \(name) has not finished:" + indented(left.map(\.line))
        + test.cure(for: left, by: "finish(within: .seconds(1))"), at: place)
  }

  private var left: [Leftover] {
    let caused = test.ledger.commits(causedBy: commits)
    return test.leftovers.filter { leftover in
      if case .effect(let cause) = leftover.id { cause.isCaused(by: caused) } else { false }
    }
  }
}

extension Cause {
  /// Whether it is an effect of one of these commits.
  fileprivate func isCaused(by commits: Set<Int>) -> Bool {
    if case .effect(_, let commit) = self { commits.contains(commit) } else { false }
  }
}
