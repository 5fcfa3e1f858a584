import Synchronization

/// Says when a digest is due: when 64 times what the last one took have passed since, so that all
/// together take at most a 64th of the time.
final class DigestPace: Sendable {
  private let options: Options

  /// When the last one was made or left to the writer, in microseconds since 1970, and what the last
  /// that was made took, in nanoseconds.
  let last = Atomic(0)
  let cost = Atomic(0)

  init(_ options: Options) { self.options = options }

  /// Whether one is due at a time, in microseconds since 1970; the clock may have been set back.
  func isDue(at time: Int) -> Bool {
    let passed = time - last.load(ordering: .relaxed)
    return passed < 0 || passed * 1000 >= cost.load(ordering: .relaxed) * options.digestPause
  }

  /// Whether one takes too long to be made under the store's lock.
  var isSlow: Bool { cost.load(ordering: .relaxed) > options.slowDigest }

  /// Makes one now, and notes what it takes.
  func make(of state: AnyState) throws(Unwritable) -> Digest? {
    let start = ContinuousClock.now
    defer {
      cost.store(Int((.now - start) / .nanoseconds(1)), ordering: .relaxed)
      last.store(microsecondsNow(), ordering: .relaxed)
    }
    return try Digest.of(state)
  }
}
