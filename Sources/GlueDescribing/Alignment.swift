internal import Glue

/// The edits that turn one array into another: the elements to remove, and those to insert.
///
/// They are valid for any predicate, even an inconsistent one, because they derive from the paths
/// that the search has recorded.
package struct Alignment: Equatable, Sendable {
  /// Positions in the first array, ascending.
  package private(set) var removed: [Int] = []

  /// Positions in the second array, ascending.
  package private(set) var added: [Int] = []

  /// The ranges that the search didn't reach within its budget; both are empty or neither is.
  package private(set) var rest: Rest

  package struct Rest: Equatable, Sendable {
    package let old: Range<Int>
    package let new: Range<Int>
  }

  /// Compares nothing: all elements of two ranges are the rest, unless one is empty.
  package init(replacing old: Range<Int>, by new: Range<Int>) {
    rest = Rest(old: old, new: new)
    settle()
  }

  /// Finds the fewest elements to remove and insert.
  ///
  /// - Parameters:
  ///   - old: a range of the first array.
  ///   - new: a range of the second one.
  ///   - budget: how many steps and comparisons the search may take, beside one comparison for each
  ///     element that is the same at both ends. When the budget is spent, the alignment keeps the
  ///     path that got furthest.
  ///   - areSame: whether an element of the first array and one of the second are the same.
  /// - Complexity: O(*n* + *d*²) for *d* elements that are removed or inserted, in time and space,
  ///   where the same element rarely occurs twice; never more than *n* and the budget.
  package init(
    from old: Range<Int>, to new: Range<Int>, budget: Int, by areSame: (Int, Int) -> Bool
  ) {
    var (start, end) = (0, 0)
    let most = min(old.count, new.count)
    while start < most, areSame(old.lowerBound + start, new.lowerBound + start) { start += 1 }
    while end < most - start, areSame(old.upperBound - 1 - end, new.upperBound - 1 - end) {
      end += 1
    }
    self.init(
      replacing: (old.lowerBound + start)..<(old.upperBound - end),
      by: (new.lowerBound + start)..<(new.upperBound - end))
    if rest.old.isEmpty { return }
    var search = EditSearch(rest.old, rest.new, budget: budget)
    search.run(by: areSame)
    (removed, added, rest) = search.result
    settle()
  }

  /// Whether the budget was spent.
  package var isCut: Bool { !rest.old.isEmpty }

  /// The rest that begins at two positions, if its elements can't be compared by position.
  func rest(at i: Int, _ j: Int) -> Rest? {
    let begins = isCut && i == rest.old.lowerBound && j == rest.new.lowerBound
    return begins && rest.old.count != rest.new.count ? rest : nil
  }

  /// Removes or inserts a rest that has nothing to be compared with.
  private mutating func settle() {
    guard rest.old.isEmpty || rest.new.isEmpty else { return }
    removed += rest.old
    added += rest.new
    rest = Rest(old: 0..<0, new: 0..<0)
  }
}

/// The elements to remove from one array, and those to insert, to get another.
///
/// - Parameters:
///   - old: the array to start from.
///   - new: the array to arrive at.
///   - areSame: whether two elements are the same; it may be inconsistent.
/// - Returns: the fewest elements, or valid ones that are not the fewest if the arrays have
///   hundreds of differences.
package func edits<Value>(
  from old: [Value], to new: [Value], by areSame: (Value, Value) -> Bool
) -> (removed: [Value], added: [Value]) {
  let alignment = Alignment(from: old.indices, to: new.indices, budget: 1 << 20) {
    areSame(old[$0], new[$1])
  }
  return (
    alignment.removed.map { old[$0] } + old[alignment.rest.old],
    alignment.added.map { new[$0] } + new[alignment.rest.new]
  )
}
