/// Subjects that are compared with one another, and therefore measured in turns.
struct Group {
  let name: String
  let subjects: [Subject]

  /// Whether its subjects are measured only if a filter names them.
  var isOnDemand = false

  /// The subject of a name within the group.
  func subject(_ name: String) -> Subject? { subjects.first { $0.name == name } }

  /// The name of a subject among those of all groups.
  func path(_ subject: String) -> String { "\(name)/\(subject)" }
}

/// A subject whose operations are timed.
struct Subject {
  /// Its name, unique within its group.
  let name: String

  /// The subject of the same group that does only the inevitable work, if there is one.
  var floor: String? = "floor"

  /// How many operations a sample has; nil for as many as fill its time.
  var count: Int?

  /// How long a sample should take; nil for as long as those of most subjects.
  var sampleTime: Duration?

  /// The unit of its samples.
  var unit = Unit.nanoseconds

  /// Whether the operations are done one after the other in this program, so that the allocations
  /// made meanwhile are theirs.
  var isSerial = true

  /// Prepares it.
  let prepare: () -> Work
}

enum Unit: String, Codable {
  case nanoseconds = "ns"
  case bytes

  /// How often threads were switched in 1,000 operations.
  case switches

  /// How many times another one.
  case ratio = "×"
}

/// A prepared subject.
struct Work {
  /// Does a number of operations, which are timed.
  let run: (_ count: Int) -> Void

  /// Reads a run's sample, instead of the time of an operation.
  var reading: (() -> Double)?

  /// Whether exactly this number of operations has been done since its creation.
  let isDone: (_ total: Int) -> Bool
}
