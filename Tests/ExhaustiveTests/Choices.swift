/// All ways through choices that depend on one another, one run after the other, depth first.
///
/// A run that comes to a state where another one has been learns nothing new from there on, and is
/// not followed further.
final class Choices {
  private var path: [(taken: Int, count: Int)] = []
  private var depth = 0
  private var known: Set<[Int]> = []

  /// Whether what this run does from now on is known.
  private(set) var isKnown = false

  var stateCount: Int { known.count }

  /// Decides which of so many things is done next.
  ///
  /// - Parameters:
  ///   - count: how many there are.
  ///   - state: says all that what follows depends on.
  /// - Returns: its number; 0 once all is known.
  func choose(below count: Int, in state: @autoclosure () -> [Int]) -> Int {
    if isKnown { return 0 }
    if depth == path.count {
      isKnown = !known.insert(state()).inserted
      if isKnown { return 0 }
      path.append((0, count))
    }
    depth += 1
    return path[depth - 1].taken
  }

  /// Decides which of so many things is done next, where no two runs come to the same state.
  func choose(below count: Int) -> Int {
    count == 1 ? 0 : choose(below: count, in: [known.count])
  }

  /// Begins the next run; false if there is none.
  func begin() -> Bool {
    let isFirst = known.isEmpty
    (depth, isKnown) = (0, false)
    while let last = path.popLast() {
      if last.taken + 1 == last.count { continue }
      path.append((last.taken + 1, last.count))
      return true
    }
    return isFirst
  }

  /// The choices of this run, to repeat it.
  var choices: [Int] { path.prefix(depth).map(\.taken) }
}
