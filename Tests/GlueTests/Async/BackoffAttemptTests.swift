import Glue
import Testing

@Suite("A backoff's attempts and seeds")
struct BackoffAttemptTests {
  @Test("a negative attempt waits as long as the first, by chance too")
  func first() {
    let backoff = Backoff(from: .seconds(4), limit: .seconds(9), jitter: 0.5)
    for seed in 0..<10 as Range<UInt64> {
      #expect(backoff.delay(-3, seed: seed) == backoff.delay(0, seed: seed))
    }
  }

  @Test("without a seed, chance is that of seed 0")
  func defaultSeed() {
    let backoff = Backoff(from: .seconds(4), limit: .seconds(9), jitter: 0.5)
    #expect(backoff.delay(1) == backoff.delay(1, seed: 0))
    #expect(backoff.delay(1) != backoff.delay(1, seed: 1))
  }
}
