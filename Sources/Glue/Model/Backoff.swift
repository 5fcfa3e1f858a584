/// How long to wait before the next attempt: longer each time, up to a limit.
///
/// It is a value without a state of its own. The reducer counts the attempts, and waits with a
/// policy, so waiting is canceled like any other effect:
///
///     let backoff = Backoff(from: .seconds(1), limit: .seconds(30), jitter: 0.5)
///     return [PageEffect.fetch.scheduled(.delay(backoff.delay(attempt, seed: seed)), id: "page")]
///
/// With `jitter`, many programs that failed at once don't try again at once. The jitter comes from
/// a seed, so that the reducer stays pure: give each program its own seed, drawn where its store is
/// created.
public struct Backoff: Hashable, Sendable {
  private let from: Duration
  private let factor: Double
  private let limit: Duration
  private let jitter: Double

  /// Creates a backoff; invalid values stop the program.
  ///
  /// - Parameters:
  ///   - from: the first wait; not negative.
  ///   - factor: how many times longer each wait is than the one before; 1 or more.
  ///   - limit: the longest wait; not negative.
  ///   - jitter: the part of each wait, from 0 to 1, that is random. It makes waits shorter.
  public init(from: Duration, factor: Double = 2, limit: Duration, jitter: Double = 0) {
    if from < .zero || limit < .zero || !(factor >= 1) || !(0...1 ~= jitter) {
      stopForSenselessBackoff(from, factor, limit, jitter)
    }
    self.from = from
    self.factor = factor
    self.limit = limit
    self.jitter = jitter
  }

  /// How long to wait after a failed attempt.
  ///
  /// - Parameters:
  ///   - attempt: its number, counted from 0; a negative one counts as 0.
  ///   - seed: determines the jitter: the same seed gives the same wait.
  /// - Returns: at least zero, and at most `limit`.
  /// - Complexity: O(log `attempt`).
  public func delay(_ attempt: Int, seed: UInt64 = 0) -> Duration {
    let attempt = max(attempt, 0)
    let whole = whole(attempt)
    return jitter == 0 ? whole : min(whole * (1 - jitter * chance(attempt, seed)), whole)
  }

  private func whole(_ attempt: Int) -> Duration {
    if from == .zero { return .zero }
    let growth = power(factor, attempt)
    return growth < limit / from ? min(from * growth, limit) : limit
  }
}

/// A number to a power that is not negative, by squaring.
private func power(_ base: Double, _ exponent: Int) -> Double {
  var (result, base, rest) = (1.0, base, exponent)
  while rest > 0 {
    if rest % 2 == 1 { result *= base }
    base *= base
    rest /= 2
  }
  return result
}

/// A number from 0 to 1, less than 1, that looks random: splitmix64, after Sebastiano Vigna.
private func chance(_ attempt: Int, _ seed: UInt64) -> Double {
  var bits = seed &+ (UInt64(attempt) &+ 1) &* 0x9e37_79b9_7f4a_7c15
  bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
  bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
  bits ^= bits >> 31
  return Double(bits >> 11) / 0x1p53
}
