import Glue
import Testing

@Suite("Backoff")
struct BackoffTests {
  @Test("waits grow by the factor up to the limit, from attempt 0")
  func growth() {
    let backoff = Backoff(from: .milliseconds(100), limit: .seconds(1))
    #expect((0..<6).map { backoff.delay($0) } == [100, 200, 400, 800, 1000, 1000].map(millis))
    let slow = Backoff(from: .seconds(1), factor: 1.5, limit: .seconds(3))
    #expect((0..<4).map { slow.delay($0) } == [1000, 1500, 2250, 3000].map(millis))
    let steady = Backoff(from: .seconds(2), factor: 1, limit: .seconds(3))
    #expect([0, 1, .max].map { steady.delay($0) } == [2000, 2000, 2000].map(millis))
  }

  private func millis(_ count: Int) -> Duration { .milliseconds(count) }

  @Test("extremes neither overflow nor last")
  func extremes() {
    let long = Backoff(from: .nanoseconds(1), factor: 1.000001, limit: .seconds(Int64.max))
    #expect(long.delay(.max) == .seconds(Int64.max))
    #expect(long.delay(.min) == .nanoseconds(1))
    let steep = Backoff(from: .seconds(1), factor: .infinity, limit: .seconds(9))
    #expect([0, 1, 2].map { steep.delay($0) } == [.seconds(1), .seconds(9), .seconds(9)])
    #expect(Backoff(from: .seconds(9), limit: .seconds(5)).delay(0) == .seconds(5))
    #expect(Backoff(from: .zero, factor: .infinity, limit: .seconds(5)).delay(3) == .zero)
    #expect(Backoff(from: .seconds(1), limit: .zero, jitter: 1).delay(3) == .zero)
  }

  @Test("chance shortens a wait by at most its part, differs by attempt and seed, and repeats")
  func jitter() {
    let backoff = Backoff(from: .seconds(4), factor: 1, limit: .seconds(4), jitter: 0.25)
    let delays = (0..<1000).map { backoff.delay($0 % 10, seed: UInt64($0 / 10)) }
    #expect(delays.allSatisfy { $0 > .seconds(3) && $0 <= .seconds(4) })
    #expect(Set(delays).count == 1000)
    let mean = delays.reduce(.zero, +) / 1000
    #expect(mean > .milliseconds(3450) && mean < .milliseconds(3550))
    #expect(backoff.delay(2, seed: 7) == backoff.delay(2, seed: 7))
    #expect(Backoff(from: .seconds(4), limit: .seconds(4), jitter: 1).delay(0) < .seconds(4))
  }

  @Test("values that make no sense stop the program with a message that names them")
  func senseless() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Backoff(from: .seconds(1), factor: 0.5, limit: .seconds(9))
    }
    let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(message?.contains("Glue: invalid Backoff(from: 1.0 seconds, factor: 0.5, ") == true)
    await #expect(processExitsWith: .failure) {
      _ = Backoff(from: .seconds(-1), limit: .seconds(9))
    }
    await #expect(processExitsWith: .failure) {
      _ = Backoff(from: .seconds(1), limit: .seconds(-9))
    }
    await #expect(processExitsWith: .failure) {
      _ = Backoff(from: .seconds(1), limit: .seconds(9), jitter: .nan)
    }
  }

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
