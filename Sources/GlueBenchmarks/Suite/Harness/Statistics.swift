/// A summary of a subject's samples.
struct Spread: Codable, Equatable {
  var median: Double
  var lowerQuartile: Double
  var upperQuartile: Double
  var minimum: Double
  var maximum: Double

  /// - Parameter samples: at least one, in any order.
  init(_ samples: [Double]) {
    minimum = quantile(0, of: samples)
    lowerQuartile = quantile(0.25, of: samples)
    median = quantile(0.5, of: samples)
    upperQuartile = quantile(0.75, of: samples)
    maximum = quantile(1, of: samples)
  }
}

/// The value below which a fraction of the samples lies, interpolated between adjacent ones.
///
/// - Parameters:
///   - fraction: from 0 for the smallest to 1 for the largest.
///   - samples: at least one, in any order.
/// - Returns: the value.
func quantile(_ fraction: Double, of samples: [Double]) -> Double {
  let sorted = samples.sorted()
  let position = fraction * Double(sorted.count - 1)
  let below = Int(position.rounded(.down))
  let above = Int(position.rounded(.up))
  return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
}
