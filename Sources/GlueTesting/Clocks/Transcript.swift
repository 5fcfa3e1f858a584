/// The tasks whose jobs an executor has run, in order.
///
/// A job's description shows its task, which is all that is known of it.
struct Transcript: Sendable {
  private var ran: [String] = []
  private var names: [String: String] = [:]

  /// Where tasks were made.
  private var origins: [String: CallStack?] = [:]

  /// Whether a job is the first of a task.
  func isNew(_ job: String) -> Bool { origins[job] == nil && !isYield(job) }

  /// Records where a job's task was made.
  mutating func add(_ job: String, from origin: CallStack?) { origins[job] = .some(origin) }

  /// Records that a job runs.
  mutating func begin(_ job: String) { ran.append(job) }

  /// Names the task whose job runs.
  mutating func name(_ name: String) {
    if let task = ran.last { names[task] = name }
  }

  /// A line for each job: its task, by its name or else by where it was made.
  ///
  /// Tasks of one name are numbered from the second on.
  var lines: [String] {
    var lines: [String: String] = [:]
    var counts: [String: Int] = [:]
    var places: [CallStack: String?] = [:]
    return ran.map { task in
      if isYield(task) { return "a yield" }
      if let line = lines[task] { return line }
      let name = lines.isEmpty ? "the test" : names[task] ?? description(of: task, &places)
      counts[name, default: 0] += 1
      let line = name + (counts[name] == 1 ? "" : " (\(counts[name] ?? 1))")
      lines[task] = line
      return line
    }
  }

  /// Looks the place up among those that are known, because finding it takes long.
  private func description(of task: String, _ places: inout [CallStack: String?]) -> String {
    guard let origin = origins[task] ?? nil else { return "a task" }
    let place = places[origin] ?? origin.place
    places[origin] = .some(place)
    return "a task" + (place.map { " made at \($0)" } ?? "")
  }

  /// Whether a job resumes a task that has yielded, which is no task.
  private func isYield(_ job: String) -> Bool { job.contains("nil") }
}
