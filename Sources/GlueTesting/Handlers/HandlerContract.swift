public import Glue
internal import GlueDescribing

/// Checks that an asynchronous effect handler fulfills the contract of
/// ``/Glue/AsyncEffectHandler``.
///
///     @Test func searchingKeepsItsContract() async {
///       await checkContract(effects: [SearchEffect.query("glue")]) { clock in
///         Searching(index: FakeIndex(clock: clock))
///       }
///     }
///
/// For each of the effects:
///
/// - The handler is called for it: it is of the type that the handler names.
/// - Run twice at once, each task returns when it is canceled, although the clock isn't advanced.
/// - A task that is canceled before it has begun returns as well.
///
/// And of the handler as a whole:
///
/// - It dispatches nothing for an effect that it can't know.
/// - If it is an object, nothing retains it after its store is released.
///
/// It may dispatch after it was canceled, because the store drops that (G11).
///
/// - Parameters:
///   - effects: the effects to handle.
///   - limit: how much real time it has to return, if it works outside of the clock's executor,
///     such as on the main actor. A good handler needs only as long as it works.
///   - fileID: the file that failures are reported in, with `filePath`.
///   - filePath: the path of that file.
///   - line: the line in it.
///   - column: the column in that line.
///   - make: creates a handler, a new one each time, for a store with the clock.
public nonisolated(nonsending) func checkContract<H: AsyncEffectHandler>(
  effects: [any Effect], within limit: Duration = .seconds(5),
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, of make: (TestClock) -> H
) async {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  if effects.isEmpty { return failForNothing("checkContract", "effects", at: place) }
  let report = ContractReport(handler: "\(H.self)", place: place)
  for effect in effects where report.expects(effect, toBe: H.Handled.self) {
    for isEarly in [false, true] {
      let trial = ContractTrial(limit: limit)
      trial.add(effectHandler: make(trial.clock))
      do {
        try await trial.cancel([effect, effect], early: isEarly)
      } catch {
        return report.fail(error, in: trial)
      }
      let moment = isEarly ? "before it had begun" : "while it ran"
      if trial.watch.works.isEmpty { continue }
      report.fail("did not return when \(text(of: effect)) was canceled \(moment)")
    }
  }
  await report.checkEnd(withEffects: effects, within: limit) { trial in
    let handler = make(trial.clock)
    trial.add(effectHandler: handler)
    if !(H.self is AnyObject.Type) { return { false } }
    weak let object = handler as AnyObject
    return { object != nil }
  }
}

/// Checks that an effect handler fulfills the contract of ``/Glue/EffectHandler``.
///
///     @Test func soundsKeepTheirContract() async {
///       await checkContract(effects: [AppEffect.playSound]) { _ in
///         Sounds(player: SilentPlayer())
///       }
///     }
///
/// - The handler is called for each of the effects, on another thread than the one that created it:
///   they are of the type that the handler names.
/// - It dispatches nothing for an effect that it can't know.
/// - Nothing retains it after its store is released.
///
/// - Parameters:
///   - effects: the effects to handle.
///   - fileID: the file that failures are reported in, with `filePath`.
///   - filePath: the path of that file.
///   - line: the line in it.
///   - column: the column in that line.
///   - make: creates a handler, a new one each time, for a store with the clock.
public nonisolated(nonsending) func checkContract<H: EffectHandler & SendableMetatype>(
  effects: [any Effect],
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, of make: (TestClock) -> sending H
) async {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  if effects.isEmpty { return failForNothing("checkContract", "effects", at: place) }
  let report = ContractReport(handler: "\(H.self)", place: place)
  let called = effects.filter { report.expects($0, toBe: H.Handled.self) }
  await report.checkEnd(withEffects: called) { trial in
    // Sound: only the store uses it. This code only checks whether it still exists.
    nonisolated(unsafe) let handler = make(trial.clock)
    weak let object = handler
    trial.add(effectHandler: handler)
    return { object != nil }
  }
}
