/// A small random number generator that gives the same numbers for the same seed.
///
/// It is xorshift64*, after George Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8
/// (2003).
package struct Xorshift: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator; adjacent seeds give unlike numbers.
  package init(seed: UInt64) {
    let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    state = seed == .max ? step : (seed + 1) &* step
  }

  package mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
