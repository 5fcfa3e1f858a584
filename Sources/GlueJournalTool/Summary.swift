import Foundation
import GlueJournal

/// Describes the files of a journal of any types, without changing them.
struct Summary {
  private(set) var lines: [String] = []

  /// Whether every record can be read.
  private(set) var isWhole: Bool

  /// Describes a journal.
  ///
  /// - Parameter path: its directory, or an exported file.
  /// - Throws: `JournalError` if there is no journal.
  init(of path: String) throws {
    let sources = try recordingSources(at: path)
    let examined = examine(sources)
    isWhole = examined.damage == nil
    lines.append(
      "\(path): \(sources.count) files, \(sources.map(\.bytes.count).reduce(0, +)) bytes")
    add(examined.records.map(\.members))
    if let damage = examined.damage {
      lines.append("damaged: \(damage)")
      lines.append("all that is listed here is intact, and precedes the damage")
    } else if examined.tornCount > 0 {
      lines.append("the last \(examined.tornCount) bytes are torn, or just being written")
    }
    if let newest = sources.lastIndex(where: { $0.path.hasSuffix(".state") }), sources.count > 1 {
      addOpening(Array(sources[newest...]))
    }
  }

  /// Says whether a program could open the journal: opening reads the newest state and its logs
  /// only.
  private mutating func addOpening(_ sources: [Source]) {
    if let damage = examine(sources).damage {
      isWhole = false
      lines.append("a program cannot open it: \(damage)")
      if damage.path.hasSuffix(".log"), let offset = damage.offset, offset > 0 {
        lines.append("--cut would cut off this record and all after it, and keep them beside")
      }
    } else {
      lines.append("a program can open it, if its format fits")
    }
  }

  private mutating func add(_ records: [JSONMembers]) {
    var names: [String: Int] = [:]
    var commits: [Int] = []
    var left: Set<EffectKey> = []
    var times: [JSON?] = []
    for record in records {
      if let value = record["value"], let state = record["state"]?.integer {
        lines.append(
          "the state after commit \(state): \(value.bytes.count) bytes, at \(time(record["at"]))")
        left = []
      }
      if let commit = record["commit"]?.integer {
        commits.append(commit)
        times.append(record["at"])
        names[record["intent"]?.elements?.first?.text ?? "(states instead)", default: 0] += 1
      }
      left.formUnion(keys(record["effects"]))
      left.subtract(keys(record["over"]))
    }
    if let first = commits.first, let last = commits.last {
      lines.append(
        "commits \(first) to \(last), from \(time(times[0])) to \(time(times[times.count - 1]))")
    }
    for (name, count) in names.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name): \(count)")
    }
    if !left.isEmpty { lines.append("unfinished effects that must happen: \(left.count)") }
    if isWhole {
      let isClosed = records.last?["closed"] != nil
      lines.append(isClosed ? "the last end was orderly" : "no orderly end: killed, or running")
    }
  }

  private func keys(_ json: JSON?) -> Set<EffectKey> {
    Set(json?.elements?.compactMap { key(from: $0) } ?? [])
  }

  private func time(_ microseconds: JSON?) -> String {
    guard let microseconds = microseconds?.integer else { return "an unknown time" }
    return Date(timeIntervalSince1970: Double(microseconds) / 1e6).formatted(.iso8601)
  }
}
