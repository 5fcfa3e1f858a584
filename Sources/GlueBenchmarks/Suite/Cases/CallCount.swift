/// Counts calls that never overlap.
///
/// `@unchecked Sendable` is sound because a store makes its calls one at a time, and the count is
/// read when it makes no more.
final class CallCount: @unchecked Sendable {
  private(set) var count = 0

  func add() { count += 1 }
}
