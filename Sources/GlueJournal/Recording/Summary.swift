internal import Foundation

/// What is in the files of a journal, of whichever types it is; nothing is changed.
package struct JournalSummary: Sendable {
  /// A line each.
  package private(set) var lines: [String] = []

  /// Whether all can be read.
  package private(set) var isWhole = true

  /// Describes a journal.
  ///
  /// - Parameter path: its directory, or a file that an export has written.
  /// - Throws: ``JournalError`` if there is none.
  package init(of path: String) throws {
    let sources = try readSources(path)
    lines.append(
      "\(path): \(sources.count) files, \(sources.map(\.bytes.count).reduce(0, +)) bytes")
    do {
      let examined = try examine(sources)
      add(examined)
      if examined.tornCount > 0 {
        lines.append("the last \(examined.tornCount) bytes are torn, or just being written")
      }
    } catch {
      isWhole = false
      lines.append("damaged: \(error)")
    }
  }

  private mutating func add(_ examined: Examined) {
    var names: [String: Int] = [:]
    var commits: [Int] = []
    var left: Set<EffectKey> = []
    var times: [Int] = []
    for record in examined.records.map(\.members) {
      if let state = record["state"]?.integer {
        let size = record["value"]?.range.count ?? 0
        lines.append("the state after commit \(state): \(size) bytes, of \(time(record))")
        if record["n"] == nil { left = keys(record["effects"]) }
      }
      if let commit = record["commit"]?.integer {
        commits.append(commit)
        times += record["at"]?.integer.map { [$0] } ?? []
        names[record["intent"]?.elements?.first?.text ?? "(states instead)", default: 0] += 1
        left.formUnion(keys(record["effects"]))
      }
      left.subtract(keys(record["over"]))
    }
    if let first = commits.first, let last = commits.last {
      lines.append("commits \(first) to \(last), of \(text(times.first)) to \(text(times.last))")
    }
    for (name, count) in names.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name): \(count)")
    }
    if !left.isEmpty { lines.append("effects that must happen and are not over: \(left.count)") }
    let isClosed = examined.records.last?.members["closed"] != nil
    lines.append(isClosed ? "the last process ended as it should" : "it was not closed")
  }

  private func keys(_ piece: JSONPiece?) -> Set<EffectKey> {
    Set(piece?.elements?.compactMap { key(from: $0) } ?? [])
  }

  private func time(_ record: JSONMembers) -> String { text(record["at"]?.integer) }

  private func text(_ microseconds: Int?) -> String {
    guard let microseconds else { return "an unknown time" }
    return Date(timeIntervalSince1970: Double(microseconds) / 1e6).formatted(.iso8601)
  }
}

/// Writes all that a journal holds into one file, of whichever types it is.
package func exportJournal(at path: String, to file: String) throws {
  let bytes = try joined(readSources(path))
  do {
    try Directory(path: path, files: SystemFiles()).replace(file, by: bytes)
  } catch { throw JournalError(error, in: file) }
}

private func readSources(_ path: String) throws(JournalError) -> [Source] {
  do throws(FileError) {
    let sources = try Directory(path: path, files: SystemFiles()).recordingSources()
    if !sources.isEmpty { return sources }
  } catch { throw JournalError(error, in: path) }
  throw JournalError(path, "there is no journal here: no state begins it")
}
