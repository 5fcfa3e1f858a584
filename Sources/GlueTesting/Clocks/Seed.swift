/// Which of the queued jobs of a ``TestClock``'s executor runs next.
enum JobOrder: Sendable {
  /// The oldest.
  case oldestFirst

  /// One that the seed decides.
  case seeded(Xorshift)

  mutating func next(of count: Int) -> Int? {
    if count == 0 { return nil }
    guard case .seeded(var generator) = self else { return 0 }
    defer { self = .seeded(generator) }
    return Int.random(in: 0..<count, using: &generator)
  }
}

/// A small generator of random numbers that gives the same ones for the same seed.
///
/// After George Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003).
struct Xorshift: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
