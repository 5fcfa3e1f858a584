import Foundation

/// The content of the file of definitions.
struct Definitions: Codable, Equatable, Sendable {
  /// The time zone of cron lines, such as `Europe/Berlin`; UTC without one.
  var zone: String?

  /// How many runs of a group may run at once; one without an entry.
  var groups: [String: Int]?
  var jobs: [Definition]
}

/// A job: a command, and when it is due.
struct Definition: Codable, Equatable, Sendable {
  var name: String

  /// The program and its arguments.
  var command: [String]

  /// Seconds from one run to the next, or a line of cron; with neither, the job runs on demand.
  var every: Double?
  var cron: String?

  /// The group in which runs wait for one another.
  var group: String?

  /// How often a run that fails is tried again.
  var retries: Int?

  /// Seconds that each try may take.
  var timeout: Double?

  /// When the job is due after a date; nil if never.
  func next(after date: Date, in zone: TimeZone) -> Date? {
    if let every { return date + every }
    return cron.flatMap(Cron.init)?.next(after: date, in: zone)
  }
}

/// A mistake in a file, and what was expected.
struct InvalidDefinitions: Error, CustomStringConvertible {
  let description: String
}

extension Definitions {
  /// Reads a file, and checks it.
  init(file: String) throws {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: file)))
    } catch {
      throw InvalidDefinitions(description: "\(file): \(error)")
    }
    if let reason = mistake { throw InvalidDefinitions(description: "\(file): \(reason)") }
  }

  /// The first mistake; nil if there is none.
  var mistake: String? {
    if let zone, TimeZone(identifier: zone) == nil { return "there is no time zone \"\(zone)\"" }
    if let group = groups?.first(where: { $0.value < 1 })?.key {
      return "group \"\(group)\" needs at least 1"
    }
    var names: Set<String> = []
    for job in jobs {
      // The name is a file's too.
      let isName =
        !job.name.isEmpty && job.name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
      let reason: String? =
        if !isName {
          "a name has letters, digits and - alone"
        } else if !names.insert(job.name).inserted {
          "there are two of this name"
        } else if job.command.isEmpty {
          "its command is empty"
        } else if job.every != nil && job.cron != nil {
          "expected \"every\" or \"cron\", but not both"
        } else if !(job.every.map { (1...1e9).contains($0) } ?? true) {
          "\"every\" is \(job.every ?? 0), but expected at least 1 second"
        } else if let line = job.cron, Cron(line) == nil {
          "\"\(line)\" is no line of cron: expected five fields, such as \"30 3 * * 1-5\""
        } else if !(job.timeout.map { $0 > 0 } ?? true) || job.retries ?? 0 < 0 {
          "\"timeout\" and \"retries\" can't be negative"
        } else {
          nil
        }
      if let reason { return "job \"\(job.name)\": \(reason)" }
    }
    return nil
  }
}
