/// What the library keeps for a thread: values of the user's that are to be released on it.
///
/// The release of a value may run a deinit that uses a store, which then has others to release, and
/// so on: on one thread they are released one after the other, not inside one another, so that a
/// chain of them uses constant stack (G5).
final class ThreadContext {
  private var values: [any Sendable] = []
  private var isReleasing = false

  /// Keeps a value until something is released.
  func discard(_ value: any Sendable) {
    values.append(value)
  }

  /// Releases something, and what is discarded until then; or, where something is being released,
  /// has it kept for then.
  func release(_ release: () -> Void, orKeep keep: () -> Void) {
    if isReleasing { return keep() }
    isReleasing = true
    release()
    if !values.isEmpty { releaseValues() }
    isReleasing = false
  }

  private func releaseValues() {
    var released: [any Sendable] = []
    repeat {
      swap(&released, &values)
      released.removeAll(keepingCapacity: released.count <= ThreadContext.keptCount)
    } while !values.isEmpty
    if values.capacity == 0 { swap(&values, &released) }
  }

  /// The largest number of values whose buffer is kept for later ones.
  private static let keptCount = 64
}
