/// All paths through dependent choices, one a run, depth first.
///
/// A run that reaches a known state learns nothing new from there on, so its other choices are
/// not followed.
final class Choices {
  private var path: [(taken: Int, count: Int)] = []
  private var depth = 0
  private var known: Set<[Int]> = []

  /// Whether the rest of this run is known.
  private(set) var isKnown = false

  var stateCount: Int { known.count }

  /// Chooses one of several next steps.
  ///
  /// - Parameters:
  ///   - count: how many there are.
  ///   - state: everything that the rest of the run depends on.
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

  /// Chooses one of several next steps, where no two runs reach the same state.
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
