internal import Glue

/// The greedy search for the shortest way from one array to another (Eugene Myers, "An O(ND)
/// Difference Algorithm and Its Variations", Algorithmica 1, 1986).
///
/// A path is a number of edits, some of which are removals, each followed by as many elements that
/// are the same as there are. Of all paths with the same two numbers the one that ends furthest is
/// recorded, and the way back follows these records instead of asking the predicate again.
struct EditSearch {
  private let old: Range<Int>
  private let new: Range<Int>
  private var budget: Int

  /// How many elements of the first array each path has passed, or -1 if there is no such path: row
  /// by row for each number of edits.
  private var ends: [Int] = []

  /// The index in `ends` of each row's path without removals.
  private var rows: [Int] = []

  private var furthest = (edits: 0, removals: 0, distance: 0)

  init(_ old: Range<Int>, _ new: Range<Int>, budget: Int) {
    self.old = old
    self.new = new
    self.budget = budget
  }

  mutating func run(by areSame: (Int, Int) -> Bool) {
    for edits in 0...(old.count + new.count) {
      let first = max(0, edits - new.count)
      rows.append(ends.count - first)
      for removals in first...min(edits, old.count) {
        guard let end = end(edits, removals, areSame) else { return }
        ends.append(end)
        let distance = 2 * end + edits - 2 * removals
        if end >= 0, distance > furthest.distance { furthest = (edits, removals, distance) }
        if distance == old.count + new.count { return }
      }
    }
  }

  /// Where a path ends; nil if the budget is spent.
  private mutating func end(
    _ edits: Int, _ removals: Int, _ areSame: (Int, Int) -> Bool
  ) -> Int? {
    budget -= 1
    var end = lastEdit(edits, removals).end
    let shift = edits - 2 * removals
    while budget > 0, end >= 0, end < old.count, end + shift < new.count {
      budget -= 1
      if !areSame(old.lowerBound + end, new.lowerBound + end + shift) { return end }
      end += 1
    }
    return budget > 0 ? end : nil
  }

  /// Where the last edit of a path ends, and which kind it is; -1 if there is no such path.
  private func lastEdit(_ edits: Int, _ removals: Int) -> (end: Int, isRemoval: Bool) {
    if edits == 0 { return (0, false) }
    let row = rows[edits - 1]
    let removed = removals > 0 ? ends[row + removals - 1] : -1
    let added = removals < edits ? ends[row + removals] : -1
    let removal = removed >= 0 && removed < old.count ? removed + 1 : -1
    let addition = added + edits - 2 * removals <= new.count ? added : -1
    return (max(removal, addition), removal > addition)
  }

  /// The path that got furthest, and the rest after its end.
  var result: (removed: [Int], added: [Int], rest: Alignment.Rest) {
    var (edits, removals, distance) = furthest
    let end = (distance - edits) / 2 + removals
    let rest = Alignment.Rest(
      old: (old.lowerBound + end)..<old.upperBound,
      new: (new.lowerBound + distance - end)..<new.upperBound)
    var (removed, added): ([Int], [Int]) = ([], [])
    while edits > 0 {
      let (end, isRemoval) = lastEdit(edits, removals)
      if isRemoval {
        removed.append(old.lowerBound + end - 1)
      } else {
        added.append(new.lowerBound + end + edits - 2 * removals - 1)
      }
      removals -= isRemoval ? 1 : 0
      edits -= 1
    }
    return (removed.reversed(), added.reversed(), rest)
  }
}
