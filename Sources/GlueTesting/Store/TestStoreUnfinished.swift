internal import Glue

extension TestStore {
  /// Starts the effects that the earlier process has not finished, as `resumeUnfinishedEffects()` of
  /// a store with a journal does.
  ///
  ///     let test = TestStore(
  ///       state: Search(text: "glue"), reducer: search, unfinished: [SearchEffect.query("glue")])
  ///     test.stub(SearchEffect.self) { _ in [SearchIntent.found([])] }
  ///     await test.resumeUnfinishedEffects()
  ///     await test.receive(SearchIntent.found([]))
  ///
  /// Each starts by its policy, in the order of `unfinished:`; one with
  /// ``/Glue/EffectPolicy/delay(_:)`` or ``/Glue/EffectPolicy/debounce(_:)`` waits for the rest of
  /// its time. It returns when all tasks rest. Before, `CancelEffects` cancels them, and `finish()`
  /// fails for those that are left. If no `unfinished:` was given, it fails the test.
  ///
  /// - Parameters:
  ///   - age: how long before this store's creation the earlier process emitted the effects.
  ///   - fileID: the file that the failure is reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func resumeUnfinishedEffects(
    after age: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let log else {
      return fail("No effects to resume: name them by `unfinished:` of the store.", at: place)
    }
    checkStart()
    log.age.withLock { $0 = age }
    await run(in: "`resumeUnfinishedEffects`", at: place) { [store] in store.resumeEffects() }
  }
}

/// Stands for the journal of an earlier process, for a store that starts with its unfinished effects.
///
/// It records nothing.
final class EarlierLog: CommitLog {
  private let clock: TestClock
  private let start: TestClock.Instant

  /// How long before the store's creation the effects were emitted.
  let age = Locked(Duration.zero)

  init(clock: TestClock) { (self.clock, start) = (clock, clock.now) }

  /// Lets a store begin with effects, as those of commit 0.
  func begin<State>(_ store: Store<State>, unfinished effects: [any Effect]) {
    let unfinished = effects.enumerated().map { index, effect in
      UnfinishedEffect(effect: effect, cause: .effect(index, ofCommit: 0), emitted: .zero)
    }
    store.begin(self, after: 0, unfinished: unfinished)
  }

  var now: Duration { age.withLock { $0 } + start.duration(to: clock.now) }
  var mustHappen: (@Sendable (any Effect) -> Bool)? { nil }

  func append(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], of commit: Int,
    _ state: some Sendable
  ) {}
  func append(over causes: [Cause], isOfLast: Bool) -> Bool { false }
  func appendEnd(
    with state: some Sendable, after commit: Int, completion: @escaping @Sendable () -> Void
  ) { completion() }
  func writeNext() {}
  func writeAll() {}
  func reportLateEnd() {}
  var unwrittenCount: Int { 0 }
  func end(with state: some Sendable, after commit: Int) {}
}
