/// The limits of a subject's costs.
struct Budget {
  /// The subject's group and name: `dispatch/erased`.
  let path: String

  var bound: Bound?

  /// How many heap allocations an operation may make; nil for any number.
  var allocations: Double?
}

/// A limit on a subject's time, by comparison with another one's.
enum Bound {
  /// At most this many times the time of another subject of the group.
  case times(Double, of: String)

  /// At most this many nanoseconds more than another subject of the group, for each of a number of
  /// things. They are those of a machine on which the floor of a dispatch takes 29.
  case nanoseconds(Double, over: String, each: Int = 1)

  /// At most this many, in the unit of the subject's samples.
  case atMost(Double, Unit)

  /// The subject to compare with, if there is one.
  var reference: String? {
    switch self {
    case .times(_, let reference), .nanoseconds(_, let reference, _): reference
    case .atMost: nil
    }
  }

  /// The limit of the figure in a group; nanoseconds grow with the floor, because machines differ.
  func limit(among group: [String: Measurement]) -> Double {
    switch self {
    case .times(let limit, _), .atMost(let limit, _): return limit
    case .nanoseconds(let limit, _, _):
      guard let floor = group["dispatch floor"] ?? group["floor"] else { return limit }
      return limit * quantile(0.5, of: floor.samples) / 29
    }
  }

  /// The figure to compare with the limit: the median of the rounds' figures.
  func figure(of samples: [Double], against reference: [Double]) -> Double {
    let pairs = zip(samples, reference)
    switch self {
    case .times: return quantile(0.5, of: pairs.map { $0 / $1 })
    case .nanoseconds(_, _, let each):
      return quantile(0.5, of: pairs.map { ($0 - $1) / Double(each) })
    case .atMost: return quantile(0.5, of: samples)
    }
  }
}

/// How a subject keeps its budget.
struct Verdict: Codable, Equatable {
  /// The figure compared with the limit; nil if the time has no limit.
  var figure: Double?

  var limit: Double?

  /// The unit of the figure and its limit.
  var unit: String?

  /// How many allocations were allowed.
  var allocations: Double?

  /// Whether all figures are within their limits.
  var isMet: Bool
}

extension Budget {
  /// Judges a subject by the measurements of its group, itself included, by name.
  func verdict(on measurement: Measurement, among group: [String: Measurement]) -> Verdict {
    let reference = bound.flatMap { $0.reference ?? measurement.subject.name }.flatMap { group[$0] }
    let figure = reference.flatMap {
      bound?.figure(of: measurement.samples, against: $0.samples)
    }
    let limit = bound?.limit(among: group)
    let isInTime = figure.map { $0 <= limit ?? .infinity } ?? true
    let isInPlace = (measurement.allocations ?? 0) <= allocations ?? .infinity
    return Verdict(
      figure: figure, limit: limit, unit: bound?.unit, allocations: allocations,
      isMet: isInTime && isInPlace)
  }
}

extension Bound {
  /// The unit of its figure: `× floor`, `ns over none`, `ns each over none`, `switches`.
  var unit: String {
    switch self {
    case .times(_, let reference): "× \(reference)"
    case .nanoseconds(_, let reference, 1): "ns over \(reference)"
    case .nanoseconds(_, let reference, _): "ns each over \(reference)"
    case .atMost(_, let unit): unit.rawValue
    }
  }
}
