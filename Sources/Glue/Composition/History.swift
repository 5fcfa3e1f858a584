/// A state with its past and its future, for a reducer made by `undoable(_:limit:)`.
///
/// It is `Equatable`, `Hashable` and `Codable` where its state is. A decoded history continues
/// where the encoded one stopped: it equals it, undoes and redoes the same, and an open group stays
/// open.
public struct History<State> {
  /// The current state.
  public var present: State

  private var past: [State] = []
  private var future: [State] = []

  /// The group of the last recorded step, as its description, which can be encoded.
  private var group: String?

  /// Creates a history without steps.
  ///
  /// - Parameter present: the initial state.
  public init(_ present: State) {
    self.present = present
  }

  /// How many steps can be undone.
  public var undoCount: Int { past.count }

  /// How many steps can be redone.
  public var redoCount: Int { future.count }

  /// Changes the present by a step that can be undone, and discards the steps that could be redone.
  ///
  /// It does what a recorded intent does, for a test that asserts it. In an open group only the
  /// first intent makes a step; later ones change ``present`` alone.
  ///
  /// - Parameters:
  ///   - group: the group that the reducer assigns to the intent, if any.
  ///   - change: changes the present.
  public mutating func step(
    group: (any Hashable & Sendable)? = nil, _ change: (inout State) throws -> Void
  ) rethrows {
    let old = present
    try change(&present)
    record(old, group: group.map { String(reflecting: $0) }, limit: .max)
  }

  /// Goes back (if negative) or forward by a number of steps.
  ///
  /// If there are fewer, it does nothing, as ``HistoryIntent/jump(by:)``.
  public mutating func jump(by steps: Int) {
    let available = steps < 0 ? past.count : future.count
    if steps == 0 || steps.magnitude > available { return }
    group = nil
    for _ in 0..<steps.magnitude {
      if steps < 0 { Self.step(&present, from: &past, to: &future) }
      if steps > 0 { Self.step(&present, from: &future, to: &past) }
    }
  }

  private static func step(_ present: inout State, from: inout [State], to: inout [State]) {
    guard let next = from.popLast() else { return }
    to.append(present)
    present = next
  }

  /// Whether the last step belongs to this group, which is still open: nothing can be redone.
  fileprivate func isRecording(_ group: String?) -> Bool {
    group != nil && group == self.group
  }

  /// Records the change from `old` as a step.
  ///
  /// Several steps may be dropped, because a decoded history may have had another limit.
  fileprivate mutating func record(_ old: State, group: String?, limit: Int) {
    future = []
    self.group = group
    past.append(old)
    if past.count > limit { past.removeFirst(past.count - limit) }
  }
}

extension History: Sendable where State: Sendable {}
extension History: Equatable where State: Equatable {}
extension History: Hashable where State: Hashable {}
extension History: Encodable where State: Encodable {}
extension History: Decodable where State: Decodable {}

extension History: CustomReflectable {
  /// The present and the numbers of steps, so that a log doesn't show all states.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["present": present, "undoCount": undoCount, "redoCount": redoCount],
      displayStyle: .struct)
  }
}

/// A value that shows less of itself than it holds.
package protocol Abbreviated {
  /// The parts that it doesn't show, for a comparison that finds no difference in the others.
  var hiddenParts: Mirror { get }
}

extension History: Abbreviated {
  package var hiddenParts: Mirror {
    Mirror(
      self, children: ["past": past, "future": future, "group": group as Any],
      displayStyle: .struct)
  }
}

/// An intent to undo, redo or jump, for a reducer made by `undoable(_:limit:)`.
public enum HistoryIntent: Intent, Hashable, Codable {
  /// Goes back by one step; a no-op at the beginning.
  case undo

  /// Goes forward by one undone step; a no-op if there is none.
  case redo

  /// Goes back (if negative) or forward by a number of steps; a no-op if there are fewer.
  case jump(by: Int)

  fileprivate var steps: Int {
    switch self {
    case .undo: -1
    case .redo: 1
    case .jump(let steps): steps
    }
  }
}

extension HistoryIntent: DirectedIntent {
  var address: Address? { nil }
  static var isAddressed: Bool { false }
  static var takers: String { "an undoable(_:limit:)" }
}

/// Lifts a reducer to a reducer of the state's history, through which ``HistoryIntent`` moves.
///
/// Each recorded intent is a step that can be undone, and discards the steps that could be redone.
/// If the state is `Equatable`, an intent that leaves it equal is not recorded. Undoing and redoing
/// have no effects.
///
///     let store = Store(state: History(Drawing()), reducer: undoable(drawingReducer, limit: 100))
///     store.dispatch(HistoryIntent.undo)
///
/// The history holds the earlier states, so each step costs one copy of the parts that it changes
/// (G10). The later steps of a group copy nothing.
///
/// - Parameters:
///   - reducer: a reducer of the state. For a typed one, only intents of its type are recorded.
///   - limit: the maximum number of steps that can be undone, which bounds memory: older steps are
///     dropped. With 0 there are none.
///   - group: returns a value that consecutive intents share to be undone together, such as the
///     edited field; nil makes a step of its own. It is called for recorded intents only. Two
///     groups are the same if their `String(reflecting:)` is, which the history stores. So don't
///     use a set, whose elements have no order.
///   - records: returns whether an intent is recorded. Others change the present alone.
/// - Returns: the reducer of the history.
/// - Complexity: that of the reducer, and O(`limit`) for each step once the limit is reached.
public func undoable<State, I: AnyIntent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect],
  limit: Int,
  group: @escaping @Sendable (any Intent) -> (any Hashable & Sendable)? = { _ in nil },
  recording records: @escaping @Sendable (any Intent) -> Bool = { _ in true }
) -> Reducer<History<State>> {
  if limit < 0 { stopForNegativeLimit(limit) }
  let reducer = erased(reducer)
  let recordsOwn: @Sendable (any Intent) -> Bool = {
    narrowed($0, to: I.self) != nil && records($0)
  }
  let isRecorded = takesAll(I.self) ? records : recordsOwn
  return { history, intent in
    if let move = recognized(intent, as: HistoryIntent.self) {
      note(.known)
      history.jump(by: move.steps)
      return []
    }
    if limit == 0 || !isRecorded(intent) { return reducer(&history.present, intent) }
    let group = group(intent).map { String(reflecting: $0) }
    if history.isRecording(group) { return reducer(&history.present, intent) }
    let old = history.present
    let effects = reducer(&history.present, intent)
    if !areEqual(old, history.present) { history.record(old, group: group, limit: limit) }
    return effects
  }
}
