/// Work that hadn't ended when a shutdown returned.
///
/// ``Store/shutdown(finishing:within:)`` returns it, so that a program can save what never started,
/// or show its user what is lost:
///
///     for case .effect(let save as Save, id: _, because: .waitedForTime) in left { write(save) }
///
/// Effects that are not `Equatable` never compare as equal. More cases may come: a `switch` should
/// have a `default`.
public enum UnfinishedWork: Equatable, Sendable, CustomStringConvertible {
  /// An effect, as its handlers get it, with the id that it was scheduled or lasts under, and why it
  /// is left.
  ///
  /// An effect without a schedule has no id; that of a part has a ``PartID`` whose ``PartID/part`` it
  /// is. A journal keeps an effect that it runs at least once,
  /// so don't save that one yourself.
  case effect(any Effect, id: (any Hashable & Sendable)?, because: Reason)

  /// Deliveries that were not made: calls of subscribers and monitors, and those of the batch that a
  /// thread is delivering now.
  ///
  /// They are made if that thread, or the loop of a ``Delivery/custom(_:)``, continues, and
  /// ``Store/delivered()`` waits for them. Effects queued behind that batch have cases of their own.
  ///
  /// - Parameters:
  ///   - pending: how many have not begun, at most: the batch is counted whole until it is done.
  ///   - isUnderWay: whether a call has begun and has not returned.
  case deliveries(pending: Int, isUnderWay: Bool)

  /// Calls that were moved to a queue or to the main actor, and that have not returned: how many.
  case movedCalls(Int)

  /// Records that a journal hasn't written, of commits and of effects that ended: how many.
  ///
  /// The state that a journal writes at a clean end is not counted, because without it a later
  /// process recovers the same state from the records.
  case records(Int)

  /// Why an effect is left.
  ///
  /// More cases may come: a `switch` should have a `default`.
  public enum Reason: Hashable, Sendable {
    /// It never starts, because it waited for its time, for example for the end of a debounce.
    case waitedForTime

    /// It never starts, because it waited for an earlier effect with its id.
    case waitedForEarlier

    /// Its asynchronous handlers never get it, because the shutdown came before its turn.
    ///
    /// Synchronous handlers get it at its turn, if it has any.
    case notStarted

    /// Its handlers, which are synchronous, get it if the deliveries continue.
    case queued

    /// Its synchronous handlers have been called, and not all have returned.
    case running

    /// It had started, and its handlers have not returned since it was canceled.
    case canceled
  }

  /// Compares effects, ids and reasons, or counts.
  public static func == (a: UnfinishedWork, b: UnfinishedWork) -> Bool {
    switch (a, b) {
    case (.effect(let a, let idOfA, let reasonOfA), .effect(let b, let idOfB, let reasonOfB)):
      reasonOfA == reasonOfB && idOfA.map { AnyHashable($0) } == idOfB.map { AnyHashable($0) }
        && areEqual(a, b)
    case (.deliveries(let a, let isA), .deliveries(let b, let isB)): (a, isA) == (b, isB)
    case (.movedCalls(let a), .movedCalls(let b)), (.records(let a), .records(let b)): a == b
    default: false
    }
  }

  /// One line, with at most 200 characters of an effect's own description.
  public var description: String {
    switch self {
    case .effect(let effect, let id, let reason):
      "\(text(of: effect))\(phrase(for: (id as? any IDInPart)?.path)) \(reason.words)"
    case .deliveries(let pending, false): "Deliveries that are queued: \(pending)"
    case .deliveries(0, true): "A delivery is under way"
    case .deliveries(let pending, true):
      "A delivery is under way, and up to \(pending) wait behind it"
    case .movedCalls(let count):
      "Calls that were moved to a queue or the main actor and have not returned: \(count)"
    case .records(let count): "Records that the journal has not written: \(count)"
    }
  }
}

extension UnfinishedWork.Reason {
  fileprivate var words: String {
    switch self {
    case .waitedForTime: "has not started, because it waited for its time"
    case .waitedForEarlier: "has not started, because it waited for an earlier one"
    case .notStarted: "has not started"
    case .queued: "is queued"
    case .running: "runs"
    case .canceled: "was canceled, but has not returned"
    }
  }
}

/// Where the part of an effect is whose id has this path.
private func phrase(for path: [any Hashable & Sendable]?) -> String {
  guard let part = path?.dropLast() else { return "" }
  return " in \(part.map { "\($0)" }.joined(separator: ", "))"
}

/// An effect in a line, with the type that the description of a case leaves out.
private func text(of effect: any Effect) -> String {
  let isCase = Mirror(reflecting: effect).displayStyle == .enum
  let type = isCase && !(effect is any CustomStringConvertible) ? "\(type(of: effect))." : ""
  return type + "\(effect)".prefix(200).map { $0.isNewline ? " " : String($0) }.joined()
}
