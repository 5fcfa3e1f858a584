import Foundation

/// All that a run of the benchmarks reports.
struct Report: Codable, Equatable {
  var rounds: Int
  var processors: Int

  /// Whether the program that ran could count them.
  var countsAllocations: Bool

  var rows: [Row] = []

  /// The report for machines.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }

  /// Adds what was measured of a group's subjects.
  mutating func append(_ measurements: [Measurement], of group: Group) {
    let byName = Dictionary(uniqueKeysWithValues: measurements.map { ($0.subject.name, $0) })
    rows += measurements.map {
      Row(
        $0, path: group.path($0.subject.name), among: byName, budget: group.budget(of: $0.subject))
    }
  }
}

/// The report of one subject.
struct Row: Codable, Equatable {
  var path: String
  var unit: Unit
  var spread: Spread

  /// The floor's median in the same run.
  var floor: Double?

  /// How many times the floor's time it took: the median of the rounds.
  var ratio: Double?

  /// Heap allocations an operation; nil if they were not counted.
  var allocations: Double?

  var verdict: Verdict?

  /// Whether all its operations were really done.
  var isDone: Bool
}

extension Row {
  /// - Parameters:
  ///   - measurement: the subject's measurement.
  ///   - path: its name among all subjects.
  ///   - group: the measurements of its group, itself included, by name.
  ///   - budget: its limits.
  init(
    _ measurement: Measurement, path: String, among group: [String: Measurement], budget: Budget?
  ) {
    let floor = measurement.subject.floor.flatMap { group[$0]?.samples }
    self.path = path
    unit = measurement.subject.unit
    spread = Spread(measurement.samples)
    self.floor = floor.map { Spread($0).median }
    ratio = floor.map { Bound.times(1, of: "").figure(of: measurement.samples, against: $0) }
    allocations = measurement.allocations
    verdict = budget?.verdict(on: measurement, among: group)
    isDone = measurement.isDone
  }
}
