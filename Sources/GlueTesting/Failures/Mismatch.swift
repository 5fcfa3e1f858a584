internal import Glue
internal import GlueDescribing
internal import Testing

/// The errors in an intent's results, as parts of one message.
struct Mismatch {
  /// Whether unnamed effects are errors.
  ///
  /// If not, a test's closures set the expected values in the actual state.
  private let isExhaustive: Bool

  private var parts: [String] = []

  init(isExhaustive: Bool = true) { self.isExhaustive = isExhaustive }

  mutating func add(_ part: String) {
    parts.append(part)
  }

  /// Compares the state with the expected one, given by the changes that lead to it.
  ///
  /// The changes are applied once, because they may contain expectations and may fail on another
  /// state. An error that was reported before it was thrown is not reported again.
  mutating func compare<State>(
    changes: ((inout State) throws -> Void)?, of state: State, actual: State
  ) {
    compare(changes: { try changes?(&$0) }, areGiven: changes != nil, of: state, actual: actual)
  }

  mutating func compare<State>(
    changes: (inout State) throws -> Void, areGiven: Bool = true, of state: State, actual: State
  ) {
    var expected = state
    do {
      try changes(&expected)
      compare(expected: expected, actual: actual)
      if areGiven, isExhaustive, isSame(expected, state), isSame(actual, state) {
        parts.append("Its closure changes nothing, and nothing has changed: leave it out.")
        hint(at: actual)
      }
    } catch is ExpectationFailedError {
    } catch {
      add("The closure of changes threw an error: \(text(of: error))")
    }
  }

  /// Compares the state with the expected one.
  private mutating func compare<State>(expected: State, actual: State) {
    let lines = differences(expected, actual)
    if lines.isEmpty { return }
    parts.append("The state differs from the expected one (expected → actual):" + indented(lines))
    if !isExhaustive {
      parts.append("The closure starts from the actual state: set values, don't increment them.")
    }
    hint(at: actual)
  }

  /// Names the changes that no comparison sees.
  private mutating func hint<State>(at state: State) {
    if let object = object(in: state) { parts.append(blindness(to: object)) }
  }

  /// Names effects that are missing, unexpected, or out of order.
  mutating func compare(expected: [any Effect], actual: [any Effect]) {
    compare("The effects are", expected, actual, "emitted") { text(of: $0) }
  }

  /// How the set of lasting effects has changed.
  enum Stay: String { case begun, ceased }

  /// Names effects that should have begun or ceased to last, and those that should not.
  mutating func compare(expected: [LastingEffect], actual: [LastingEffect], _ stay: Stay) {
    let verb = stay == .begun ? "begin" : "cease"
    compare("The effects that \(verb) to last are", expected, actual, stay.rawValue, text)
  }

  private mutating func compare<Value>(
    _ subject: String, _ expected: [Value], _ actual: [Value], _ verb: String,
    _ text: (Value) -> String
  ) {
    let edits = edits(from: expected, to: actual) { isSame($0, $1) }
    var (missing, extra) = (edits.removed.map(text), edits.added.map(text))
    if removeCommon(&missing, &extra) {
      let lists = [expected, actual].map { $0.map(text).joined(separator: ", ") }
      parts.append(
        "\(subject) in another order than expected:"
          + indented(["expected \(lists[0])", "\(verb)  \(lists[1])"]))
    }
    if !isExhaustive { extra = [] }
    if missing.isEmpty, extra.isEmpty { return }
    parts.append(
      "\(subject) others than expected:"
        + indented(missing.map { "− \($0) (expected, not \(verb))" })
        + indented(extra.map { "+ \($0) (\(verb), not expected)" }))
  }

  /// The message, if there are errors.
  func message(about subject: String) -> String? {
    parts.isEmpty ? nil : ([subject] + parts).joined(separator: "\n")
  }
}

/// A lasting effect with its id.
func text(of effect: LastingEffect) -> String {
  let (id, path) = effect.place
  return "\(text(of: effect.effect)), id \(text(of: id))\(phrase(inside: path, as: text))"
}

/// Removes from two lists what both have, and returns whether there was any.
private func removeCommon(_ a: inout [String], _ b: inout [String]) -> Bool {
  let count = a.count
  for (index, text) in a.enumerated().reversed() {
    guard let other = b.firstIndex(of: text) else { continue }
    a.remove(at: index)
    b.remove(at: other)
  }
  return a.count < count
}

/// The actual values that a test doesn't name.
func unnamed<Value>(_ actual: [Value], by expected: [Value]) -> [Value] {
  edits(from: expected, to: actual) { isSame($0, $1) }.added
}
