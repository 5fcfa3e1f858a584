internal import Glue

/// The differences between two states.
package struct StateDiff: Equatable, CustomStringConvertible {
  /// The differences, in the order of the state's parts, up to the limit.
  package internal(set) var listed: [Difference] = []

  /// How many more there are.
  package internal(set) var unlistedCount = 0

  /// How many parts were not compared, because the budget was spent.
  package internal(set) var uncomparedCount = 0

  /// Whether nothing has changed.
  package var isEmpty: Bool { count == 0 }

  var count: Int { listed.count + unlistedCount + uncomparedCount }

  /// One line for each difference that is listed, one for the others, and one for what is unknown.
  package var lines: [String] {
    listed.map(\.description)
      + Self.line(unlistedCount) { "… and \($0) more difference\($1)" }
      + Self.line(uncomparedCount) { "… and \($0) part\($1) not compared" }
  }

  package var description: String { lines.joined(separator: "\n") }

  private static func line(_ count: Int, _ text: (String, String) -> String) -> [String] {
    count == 0 ? [] : [text(grouped(count), count == 1 ? "" : "s")]
  }
}

/// One part of a state that has changed.
package struct Difference: Equatable, CustomStringConvertible {
  /// The path of the part: `todos[id: 3].title`; empty for the state itself.
  package let path: String

  package let change: Change

  /// The requested detail of the new value, beside its text.
  package var detail: String?

  /// How a part has changed, with its values as short texts.
  package enum Change: Equatable {
    /// With its position, where the path does not show it.
    case added(String, at: Int?)
    case removed(String)

    /// The texts are the same if they don't show the difference.
    case changed(from: String, to: String)

    case moved(from: Int, to: Int)

    /// This number of an array's elements by that number of others.
    case replaced(Int, by: Int)
  }

  /// One line, without control characters.
  package var description: String {
    (path.isEmpty ? "" : "\(path): ") + change.description
  }
}

extension Difference.Change: CustomStringConvertible {
  package var description: String {
    switch self {
    case .added(let new, let position): "added \(new)" + (position.map { " at \($0)" } ?? "")
    case .removed(let old): "removed \(old)"
    case .changed(let old, let new):
      old == new ? "\(old) (no visible difference)" : "\(old) → \(new)"
    case .moved(let old, let new):
      old == new ? "still at \(new) while others moved past it" : "moved from \(old) to \(new)"
    case .replaced(let old, let new): "\(grouped(old)) elements replaced by \(grouped(new))"
    }
  }
}

/// Finds the smallest parts that differ between two states.
///
/// Structures, enumerations with payloads, tuples and optionals are compared part by part;
/// dictionaries by key, sets by membership. Arrays of up to 10,000 elements are compared by `id`,
/// if their elements are `Identifiable` and the ids unique, else by position. Insertions into
/// arrays and removals are recognized. If that takes too many comparisons, the differences found so
/// far are listed. The rest is compared by position or, if its counts differ, listed as replaced.
/// To get from the old array to the new one, remove the removed and moved elements, by their old
/// positions. Then insert the added and moved ones, in order, and make the other changes.
///
/// If a value is `Equatable`, its `==` decides, unless a value isn't equal to itself, such as NaN.
/// No part of equal values is listed; unequal ones are listed as a whole if no part that they show
/// differs. For all other values the parts decide. Objects and actors are the same if they are
/// identical or, if they are `Equatable`, equal. Functions count as equal, and so do values with
/// the same bytes, such as a NaN that has not changed.
///
/// - Parameters:
///   - old: the state before.
///   - new: the state after.
///   - limit: how many differences are listed; further ones are counted. With 0, the first ends it.
///   - valueLimit: how many characters of a value are shown.
///   - work: how many values are compared by parts. Half as many may be used to find out what is
///     the same. Further values are compared by `==`, or counted as not compared if there is none.
///   - rewording: the texts to show instead of some values, which are then not compared by parts.
///   - detail: adds to each new value that is listed, by the value and its path, or returns nil.
/// - Returns: the differences, none if there are none.
/// - Complexity: O(*n*) in the number of parts, and the cost of each `Equatable` part's `==`, on
///   constant stack but for these. Values with the same bytes, such as an array that was not
///   changed, cost O(1), however many parts they have.
package func stateDiff(
  _ old: Any, _ new: Any, limit: Int = 20, valueLimit: Int = 100, work: Int = 20_000,
  rewording: Rewording? = nil, detail: ((Any, [String]) -> String?)? = nil
) -> StateDiff {
  let comparison = Comparison(
    limit: limit, valueLimit: valueLimit, work: work, rewording: rewording, detail: detail)
  comparison.run(old, new)
  return comparison.diff
}
