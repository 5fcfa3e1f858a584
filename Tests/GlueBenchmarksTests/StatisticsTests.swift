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
}
