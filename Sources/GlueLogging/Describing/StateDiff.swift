package import Glue

/// What has changed between two states.
package struct StateDiff: Equatable, CustomStringConvertible {
  /// The differences, in the order of the state's parts, up to the limit.
  package internal(set) var listed: [Difference] = []

  /// How many more there are.
  package internal(set) var unlistedCount = 0

  /// How many parts were not compared, for there was too much to do.
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
  /// Where the part is: `todos[id: 3].title`; empty for the state itself.
  package let path: String

  package let change: Change

  /// What was asked to be told of the new value, beside its text.
  package var detail: String?

  /// How a part has changed, with its values as short texts.
  package enum Change: Equatable {
    /// With its position, where the path does not tell it.
    case added(String, at: Int?)
    case removed(String)

    /// The texts are the same where the difference is one that they don't show.
    case changed(from: String, to: String)

    case moved(from: Int, to: Int)

    /// So many elements of an array by so many others.
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
    case .moved(let old, let new): "moved from \(old) to \(new)"
    case .replaced(let old, let new): "\(grouped(old)) elements replaced by \(grouped(new))"
    }
  }
}

/// Finds the smallest parts that differ between two states.
///
/// Structures, enumerations with payloads, tuples and optionals are compared part by part;
/// dictionaries by key, sets by membership, arrays of up to 10,000 elements by `id`, if their
/// elements are `Identifiable` and the ids unique, else by position. What was inserted into an
/// array or removed from it is recognized. If that takes too many comparisons, the differences found
/// so far are listed, and the rest is compared by position or, if its counts differ, listed as
/// replaced. To get from the old array to the new one, remove what was removed or
/// moved, by its old position, insert what was added or moved, in order, then make the other
/// changes.
///
/// If a value is `Equatable`, its `==` decides, unless it says of a value that it isn't equal to
/// itself, as that of a NaN does: of equal values no part is listed; unequal ones are listed as a
/// whole if no part that they show differs. The parts decide of all others. Objects and actors are
/// the same if they are identical or, if they are `Equatable`, equal. Functions count as equal; so
/// does what is the same in memory, such as a NaN that has not changed.
///
/// - Parameters:
///   - old: the state before.
///   - new: the state after.
///   - limit: how many differences are listed; further ones are counted. With 0, the first ends it.
///   - valueLimit: how many characters of a value are shown.
///   - work: how many values are looked into, and half as many to find out what is the same;
///     further ones are compared by `==`, or counted as not compared where there is none.
///   - rewording: what is shown instead of some values, which are then not looked into.
///   - detail: tells more of each new value that is listed, by the value and its path, if it does.
/// - Returns: the differences, none if there are none.
/// - Complexity: O(*n*) in the number of parts, and what the `==` of each `Equatable` part costs, on
///   constant stack but for these. What is the same in memory, such as an array that was not
///   changed, costs O(1), however many parts it has.
package func stateDiff(
  _ old: Any, _ new: Any, limit: Int = 20, valueLimit: Int = 100, work: Int = 20_000,
  rewording: Rewording? = nil, detail: ((Any, [String]) -> String?)? = nil
) -> StateDiff {
  let comparison = Comparison(
    limit: limit, valueLimit: valueLimit, work: work, rewording: rewording, detail: detail)
  comparison.run(old, new)
  return comparison.diff
}
