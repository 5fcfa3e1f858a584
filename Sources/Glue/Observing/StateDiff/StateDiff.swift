/// What has changed between two states.
package struct StateDiff: Equatable, CustomStringConvertible {
  /// The differences, in the order of the state's parts, up to the limit.
  package private(set) var listed: [Difference] = []

  /// How many more there are.
  package private(set) var unlistedCount = 0

  /// Whether nothing has changed.
  package var isEmpty: Bool { listed.isEmpty && unlistedCount == 0 }

  /// One line for each difference that is listed, and one for the others.
  package var lines: [String] {
    let lines = listed.map(\.description)
    if unlistedCount == 0 { return lines }
    let noun = unlistedCount == 1 ? "difference" : "differences"
    return lines + ["… and \(grouped(unlistedCount)) more \(noun)"]
  }

  package var description: String { lines.joined(separator: "\n") }

  /// Lists a difference, or counts one that is not listed.
  mutating func add(_ difference: Difference?) {
    if let difference { listed.append(difference) } else { unlistedCount += 1 }
  }
}

/// One part of a state that has changed.
package struct Difference: Equatable, CustomStringConvertible {
  /// Where the part is: `todos[id: 3].title`; empty for the state itself.
  package let path: String

  package let change: Change

  /// How a part has changed, with its values as short texts.
  package enum Change: Equatable {
    case added(String)
    case removed(String)

    /// The texts are the same where the difference is one that they don't show.
    case changed(from: String, to: String)
  }

  /// One line, without control characters.
  package var description: String {
    let prefix = path.isEmpty ? "" : "\(path): "
    switch change {
    case .added(let new): return "\(prefix)added \(new)"
    case .removed(let old): return "\(prefix)removed \(old)"
    case .changed(let old, let new):
      return old == new ? "\(prefix)\(old) (no visible difference)" : "\(prefix)\(old) → \(new)"
    }
  }
}

/// Finds the smallest parts that differ between two states.
///
/// Structures, enumerations with payloads, tuples, optionals and objects are compared part by part;
/// dictionaries by key, sets by membership, arrays by `id` if their elements are `Identifiable` and
/// the ids unique, else by position. In arrays of different lengths what was inserted or removed is
/// recognised, if it is one run of elements or several short ones. The index of an element that was
/// removed is the old one, that of others the new one.
///
/// The parts decide, whatever the `==` of what they are parts of leaves out: `==` is asked only of
/// values that have no parts, and of those from the standard library and Foundation that describe
/// themselves, such as dates. Values without parts or `==`, functions among them, count as equal;
/// so does what is the same in memory, such as a NaN that has not changed. Objects that are not
/// identical are compared by their properties, once each, so cycles end.
///
/// - Parameters:
///   - old: the state before.
///   - new: the state after.
///   - limit: how many differences are listed; further ones are counted.
///   - valueLimit: how many characters of a value are shown.
///   - areUnequal: whether `old == new` is known to be false. Then the states as a whole are listed
///     if no part differs.
/// - Returns: the differences, none if there are none.
/// - Complexity: O(*n*) in the number of parts, on constant stack. What is the same in memory, such
///   as an array that was not changed, costs O(1), however many parts it has.
package func stateDiff(
  _ old: Any, _ new: Any, limit: Int = 20, valueLimit: Int = 100, areUnequal: Bool = false
) -> StateDiff {
  var comparison = Comparison(old, new, limit: limit, valueLimit: valueLimit)
  while comparison.step() {}
  if areUnequal, comparison.diff.isEmpty { comparison.reportWhole(old, new) }
  return comparison.diff
}

/// A count with commas between its thousands.
func grouped(_ count: Int) -> String {
  var digits = Array(String(count))
  for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
  return String(digits)
}
