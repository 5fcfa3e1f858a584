/// How fast the cost of an operation may grow with a size.
enum Growth: String {
  case constant
  case linear
  case linearithmic = "n log n"
}

/// An operation at a size, twice the size and four times the size, as three subjects.
///
/// `.ci/costs` counts the instructions of each, and reads the promised growth from their names.
///
/// - Parameters:
///   - name: the operation and, at the end, the things that are counted.
///   - growth: the growth that the operation's documentation promises.
///   - size: the smallest size, large enough that the growth exceeds everything that is constant.
///   - prepare: makes everything that the operation needs at a size, and returns the operation. It
///     is done once, and returns whether it did its work.
/// - Returns: the subjects, from the smallest size on.
func growing(
  _ name: String, _ growth: Growth, from size: Int = 1000,
  prepare: @escaping (_ size: Int) -> () -> Bool
) -> [Subject] {
  [1, 2, 4].map { factor in
    let size = factor * size
    return Subject(name: "\(name), \(growth.rawValue) in \(size)", floor: nil, count: 1) {
      .repeating {
        prepare(size)
      } afterWarmingUpBy: {
        prepare(8)
      }
    }
  }
}

extension Work {
  /// Does operations, each of which uses up its preparation, which is not timed.
  ///
  /// The first is prepared here, and the last is released with this, so that a profiler can leave
  /// both out. The warming up resolves symbols and types, which would count for the smallest size
  /// alone.
  fileprivate static func repeating(
    _ prepare: @escaping () -> () -> Bool, afterWarmingUpBy warmUp: () -> () -> Bool
  ) -> Work {
    _ = warmUp()()
    var (operation, isUsed) = (prepare(), false)
    var (total, time) = (0, 0.0)
    return Work(
      run: { count in
        time = 0
        for _ in 0..<count {
          if isUsed { operation = prepare() }
          isUsed = true
          time += nanoseconds { total += operation() ? 1 : 0 } / Double(count)
        }
      },
      reading: { time },
      isDone: { $0 == total })
  }
}
