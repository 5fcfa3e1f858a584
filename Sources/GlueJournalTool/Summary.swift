import Foundation
import GlueJournal

/// Describes the files of a journal of any types, without changing them.
struct Summary {
  private(set) var lines: [String] = []

  /// Whether every record can be read, and a program can open it.
  private(set) var isWhole: Bool

  /// Describes a journal.
  ///
  /// - Parameter path: its directory, or an exported file.
  /// - Throws: `JournalError` if there is no journal.
  init(of path: String) throws {
    let sources = try recordingSources(at: path)
    let examined = examine(sources)
    isWhole = examined.flaw == nil
    let files = "\(sources.count) file\(sources.count == 1 ? "" : "s")"
    lines.append("\(path): \(files), \(sources.map(\.bytes.count).reduce(0, +)) bytes")
    add(examined.records.map(\.members))
    if let flaw = examined.flaw {
      lines.append("damaged: \(flaw)")
      if !examined.records.isEmpty {
        lines.append("all that is listed here is intact, and precedes the damage")
      }
    } else if examined.unreadCount > 0 {
      lines.append("the last \(examined.unreadCount) bytes are torn, or just being written")
    }
    if sources.first?.isExport == false { addOpening(sources, examined.flaw) }
  }

  /// Says whether a program could open the journal, and what would repair it.
  ///
  /// Opening reads the newest state and its logs only.
  private mutating func addOpening(_ sources: [Source], _ flaw: JournalError?) {
    let newest = sources.lastIndex(where: \.isState) ?? 0
    let examined = examine(Array(sources[newest...]))
    guard let damage = examined.damage else {
      lines.append("a program can open it, if its format fits")
      return
    }
    isWhole = false
    let isNamed = damage.description == flaw?.description
    lines.append("a program cannot open it\(isNamed ? "" : ": \(damage)")")
    if examined.cuttableIndex == nil { return addRepair(sources, newest) }
    lines.append("--cut would cut off this record and all after it, and keep them in files beside:")
    lines.append("  \(examined.loss(of: sources))")
  }

  /// Names the command that repairs the journal, if the state before the newest one and the logs
  /// since are intact.
  private mutating func addRepair(_ sources: [Source], _ newest: Int) {
    guard let older = sources[..<newest].lastIndex(where: \.isState) else { return }
    // Without the newest state the logs continue, unless its own log is damaged or missing too.
    for rest in [sources[(newest + 1)...], []] {
      let examined = examine(Array(sources[older..<newest] + rest))
      if examined.flaw != nil { continue }
      let moved = sources[newest...].dropLast(rest.count)
      let commands = moved.map { "mv \(quoted($0.path)) \(quoted($0.path + ".damaged"))" }
      lines.append(
        "an older state and all logs since are intact; when no program uses the journal, repair it by:"
      )
      lines.append("  \(commands.joined(separator: " && "))")
      lines.append("  \(examined.loss(of: sources))")
      return
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
          "the state after commit \(state): \(value.bytes.count) bytes, at \(time(record["at"])), "
            + "record \(record["n"]?.integer ?? 0)")
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

/// A path as a word of a shell's command.
private func quoted(_ path: String) -> String {
  let isPlain = path.allSatisfy {
    $0.isASCII && ($0.isLetter || $0.isNumber) || "/._-".contains($0)
  }
  return isPlain ? path : "'\(path.replacing("'", with: "'\\''"))'"
}
