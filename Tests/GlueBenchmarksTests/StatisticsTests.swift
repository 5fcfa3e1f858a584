import Testing

@testable import BenchmarkSuite

@Suite struct StatisticsTests {
  @Test("quantiles lie between neighboring samples, in any order")
  func quantilesLieBetweenThe() {
    let samples = [40.0, 10, 30, 20]
    #expect(quantile(0, of: samples) == 10)
    #expect(quantile(0.25, of: samples) == 17.5)
    #expect(quantile(0.5, of: samples) == 25)
    #expect(quantile(1, of: samples) == 40)
  }

  @Test("a single sample equals all its quantiles")
  func aSingleSampleIs() {
    let spread = Spread([7])
    #expect(spread.minimum == 7)
    #expect(spread.lowerQuartile == 7)
    #expect(spread.median == 7)
    #expect(spread.upperQuartile == 7)
    #expect(spread.maximum == 7)
  }

  @Test("one wild sample does not move the median")
  func oneWildSampleDoes() {
    #expect(Spread([1, 2, 3]).median == Spread([1, 2, 1_000_000]).median)
  }
}
