import Glue
import Testing

@Suite("A negative attempt")
struct NegativeAttemptTests {
  @Test("waits as long as the first, by chance too")
  func first() {
    let backoff = Backoff(from: .seconds(4), limit: .seconds(9), jitter: 0.5)
    for seed in 0..<10 as Range<UInt64> {
      #expect(backoff.delay(-3, seed: seed) == backoff.delay(0, seed: seed))
    }
  }
}
