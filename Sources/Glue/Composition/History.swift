/// A state with its past and its future, for a reducer made by `undoable(_:limit:)`.
///
/// It is `Equatable`, `Hashable` and `Codable` where its state is. One that was encoded and decoded
/// goes on as the one it was made of: it equals it, undoes and redoes the same, and an open group
/// goes on.
public struct History<State> {
  /// The state now.
  public var present: State

  private var past: [State] = []
  private var future: [State] = []

  /// What the last recorded step was grouped by, as it describes itself, which can be encoded.
  private var group: String?

  /// Begins a history.
  ///
  /// - Parameter present: the state to begin with.
  public init(_ present: State) {
    self.present = present
  }

  /// How many steps can be undone.
  public var undoCount: Int { past.count }

  /// How many steps can be redone.
  public var redoCount: Int { future.count }

  /// Changes the present by a step that can be undone, and forgets what was undone before it.
  ///
  /// It is what an intent does that counts, for a test that asserts it. In an open group only the
  /// first intent is a step; those that follow change ``present`` alone.
  ///
  /// - Parameters:
  ///   - group: what the reducer groups the intent by, if it does.
  ///   - change: changes the present.
  public mutating func step(
    group: (any Hashable & Sendable)? = nil, _ change: (inout State) throws -> Void
  ) rethrows {
    let old = present
    try change(&present)
    record(old, group: group.map { String(reflecting: $0) }, limit: .max)
  }

  /// Goes back (if negative) or forward by a number of steps, or not at all if there are fewer, as
  /// ``HistoryIntent/jump(by:)`` does.
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

  /// Whether the last step is one of this group and still open: then nothing can be redone.
  fileprivate func isRecording(_ group: String?) -> Bool {
    group != nil && group == self.group
  }

  /// Makes what `old` has become a step of its own.
  ///
  /// There may be several to forget: the history may have been decoded, and the limit be another.
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
  /// The present, and how many steps there are: a log tells of these, not of all states.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["present": present, "undoCount": undoCount, "redoCount": redoCount],
      displayStyle: .struct)
  }
}

/// What a reducer made by `undoable(_:limit:)` does with its history.
public enum HistoryIntent: Intent, Hashable, Codable {
  /// Goes back by one step; at the beginning it does nothing.
  case undo

  /// Goes forward by one step that was undone; if there is none it does nothing.
  case redo

  /// Goes back (if negative) or forward by a number of steps; if there are fewer it does nothing.
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
  var content: (any Intent)? { nil }
  static var takers: String { "an undoable(_:limit:)" }
}

/// Lifts a reducer to one of a state's history, which ``HistoryIntent`` moves through.
///
/// Each intent that counts is a step that can be undone, and makes what was undone before it
/// forgotten. Where the state is `Equatable`, an intent that leaves it equal is none. Undoing and
/// redoing have no effects.
///
///     let store = Store(state: History(Drawing()), reducer: undoable(drawingReducer, limit: 100))
///     store.dispatch(HistoryIntent.undo)
///
/// As the history holds the states before, each step costs one copy of the parts that it changes
/// (G10); the steps of a group after the first copy nothing.
///
/// - Parameters:
///   - reducer: a reducer of the state. Of a typed one only intents of its type count.
///   - limit: how many steps can be undone at most, which bounds the memory: older ones are
///     forgotten. With 0 there are none.
///   - group: what consecutive intents have in common that are undone together, such as the field
///     that is being typed into; nil for a step of its own. It is asked about intents that count.
///     Groups are the same if `String(reflecting:)` says the same of them, which the history keeps:
///     a set, whose elements are in no order, is not a good one.
///   - filter: whether an intent counts. One that does not changes the present alone.
/// - Returns: the reducer of the history.
/// - Complexity: that of the reducer, and O(`limit`) for each step once the limit is reached.
public func undoable<State>(
  _ reducer: @escaping Reducer<State>,
  limit: Int,
  group: @escaping @Sendable (any Intent) -> (any Hashable & Sendable)? = { _ in nil },
  filter: @escaping @Sendable (any Intent) -> Bool = { _ in true }
) -> Reducer<History<State>> {
  if limit < 0 { stopForNegativeLimit(limit) }
  let reducer = watched(reducer)
  return { history, intent in
    if let move = recognized(intent, as: HistoryIntent.self) {
      history.jump(by: move.steps)
      return []
    }
    if limit == 0 || !filter(intent) { return reducer(&history.present, intent) }
    let group = group(intent).map { String(reflecting: $0) }
    if history.isRecording(group) { return reducer(&history.present, intent) }
    let old = history.present
    let effects = reducer(&history.present, intent)
    if !areEqual(old, history.present) { history.record(old, group: group, limit: limit) }
    return effects
  }
}
