internal import Glue
internal import GlueTesting

/// The result of some seeds of a simulation, from one process.
struct Part: Codable, Sendable {
  var tally = Tally()

  /// How often work came from other threads, by the name of the machine.
  var foreign: [String: Int] = [:]

  /// Whether a seed has failed, which is reported.
  var hasFailed = false

  mutating func add(_ other: Part) {
    tally.add(other.tally)
    foreign.merge(other.foreign, uniquingKeysWith: +)
    hasFailed = hasFailed || other.hasFailed
  }
}
