extension MemoryLog {
  /// How often each fault happens, as a share of the calls from 0 to 1.
  public struct Faults: Sendable {
    /// An append does nothing, and reports that.
    public var refusals = 0.0

    /// An append does nothing, and the caller can't know.
    public var lostAppends = 0.0

    /// An append succeeds, and the caller can't know.
    public var lostReplies = 0.0

    /// An append happens twice.
    public var duplicates = 0.0

    /// An append happens later, after others, and the caller can't know.
    public var delays = 0.0

    /// A read fails.
    public var disconnects = 0.0

    /// A read misses an entry in the middle.
    public var gaps = 0.0

    /// A read begins with entries from before the position.
    public var repeats = 0.0

    /// Makes faults; none happen unless they are set.
    public init() {}

    /// Every fault, in a tenth of the calls.
    public static var many: Faults {
      var faults = Faults()
      let all: [WritableKeyPath<Faults, Double>] = [
        \.refusals, \.lostAppends, \.lostReplies, \.duplicates, \.delays, \.disconnects, \.gaps,
        \.repeats,
      ]
      for fault in all { faults[keyPath: fault] = 0.1 }
      return faults
    }
  }
}

/// A generator of random numbers that its seed determines (SplitMix64).
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
