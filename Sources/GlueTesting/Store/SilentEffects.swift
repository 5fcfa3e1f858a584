internal import Glue
internal import GlueDescribing

extension TestStore {
  /// The reasons why the effects so far have sent nothing, as lines after a message.
  ///
  /// They name the effects without a handler by their types, and the latest of the others.
  var silentEffects: String {
    let emissions = ledger.emissions.filter { !($0.inner is CancelEffects || $0.inner is Send) }
    let unhandled = emissions.filter(\.isUnhandled).flatMap(linesForUnhandled)
    let lost = emissions.indices.compactMap { index in
      line(forLost: emissions[index], before: emissions[(index + 1)...])
    }
    return indented(distinct(unhandled) + lost.suffix(5))
  }

  private func linesForUnhandled(_ emission: Ledger<State>.Emission) -> [String] {
    let entries = roster.entries
    let effect = emission.inner
    if let late = entries.last(where: { $0.handles(effect) }) {
      return ["\(emission.line) had no handler then: \(late.name) was added later."]
    }
    let payload = Mirror(reflecting: effect).children.first?.value as? any Effect
    let around = entries.filter { entry in
      payload.map(entry.handles) ?? false || emission.isScheduled && entry.handles(emission.effect)
    }
    return [line(forTypeOf: effect)]
      + around.map { "\($0.name) doesn't get it: handlers get the \(type(of: effect)) itself." }
  }

  private func line(forTypeOf effect: any Effect) -> String {
    let entries = roster.entries
    let lists = [("stubbed", true), ("handled", false)].compactMap { verb, isStub in
      let types = distinct(entries.filter { $0.isStub == isStub }.map { "`\($0.handled)`" })
      if types.isEmpty { return String?.none }
      return "\(verb) \(types.count == 1 ? "is" : "are") \(types.joined(separator: ", "))"
    }
    let others = lists.isEmpty ? "the test has added none" : lists.joined(separator: ", ")
    return "`\(type(of: effect))` has no handler: \(others)."
  }

  /// Says why an effect that has a handler doesn't send anything any more.
  private func line(
    forLost emission: Ledger<State>.Emission, before later: ArraySlice<Ledger<State>.Emission>
  ) -> String? {
    if emission.isUnhandled || emission.isReplaced(by: later) { return nil }
    if !emission.isCancelled {
      if emission.hasStarted || store.takesEffects { return nil }
      return "\(emission.line) was dropped: the store was shut down."
    }
    if emission.hasStarted { return "\(emission.line) was canceled while it ran." }
    switch emission.scheduled?.policy {
    case .leading:
      return "\(emission.line) was dropped by `.leading`: an earlier one of its id was in flight."
    case .throttle(_, latest: false):
      return "\(emission.line) was dropped by `.throttle`: one of its id was held already."
    default: return "\(emission.line) was canceled before it began."
    }
  }
}

extension Ledger.Emission {
  /// The effect that handlers get.
  fileprivate var inner: any Effect { plainEffect(effect) }
  fileprivate var scheduled: ScheduledEffect? { effect as? ScheduledEffect }
  fileprivate var isScheduled: Bool { scheduled != nil }
  fileprivate var line: String { "\(text(of: effect)) of \(text(of: intent))" }

  /// Whether a later effect of its id has replaced it, as its policy says: that one counts.
  fileprivate func isReplaced(by later: ArraySlice<Self>) -> Bool {
    guard isCancelled, let scheduled else { return false }
    switch scheduled.policy {
    case .leading, .throttle(_, latest: false): return false
    default:
      return later.contains { emission in
        emission.scheduled.map { isSame($0.id, scheduled.id) } ?? false
      }
    }
  }
}

/// Texts in order, without repetitions.
private func distinct(_ texts: [String]) -> [String] {
  var seen: Set<String> = []
  return texts.filter { seen.insert($0).inserted }
}
