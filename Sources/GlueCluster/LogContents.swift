import Foundation

/// The contents of a log, read without its program's types.
///
/// The table follows from the entries alone, but for the effects that are owed since the snapshot and for
/// migrations that throw.
package struct LogContents: Sendable {
  /// The first entry that the log still has.
  package private(set) var first: LogPosition

  /// The newest snapshot's position, the version there, and its size.
  package let snapshot: (position: LogPosition, version: Int, bytes: Int)?

  /// The positions of entries that no ``SharedStore`` made.
  package private(set) var strays: [LogPosition] = []

  /// The table after the last entry.
  package private(set) var table = ReplicatedTable()

  /// The session in which all pages were read.
  private var session: String?

  /// Reads the newest snapshot's table, and all entries.
  ///
  /// - Parameters:
  ///   - log: one that others may append to meanwhile.
  ///   - each: is called with the entries in order, but for those that a replica drops meanwhile.
  /// - Throws: `LogError` if the log is out of reach, or lacks entries of its snapshot or after it,
  ///   also because a replica has dropped them meanwhile;
  ///   ``SharedStoreError/unreadable(position:_:)`` if a newer version of this module wrote an entry.
  package init(of log: any Log, _ each: @Sendable (LogEntry) -> Void = { _ in }) async throws {
    let kept = try await log.snapshot()
    if let kept {
      let content = try Kept(of: kept)
      try await Self.check(content, in: log)
      table = content.table
    }
    snapshot = kept.map { [table] in ($0.position, table.version, $0.bytes.count) }
    first = try await Self.first(of: log)
    guard first <= table.position + 1 else {
      throw LogError.cut("The log begins at \(first), after its snapshot at \(table.position).")
    }
    var (next, stalls) = (first, 0)
    while stalls < 3 {
      let page: LogPage
      do throws(LogError) { page = try await log.read(from: next, within: .seconds(1)) } catch {
        // Entries that the snapshot includes aren't missed.
        guard case .trimmed(let first) = error, next < first, first <= table.position + 1 else {
          throw error
        }
        (self.first, next) = (first, first)
        continue
      }
      guard page.session == session ?? page.session else {
        throw LogError.cut("The server has begun another session meanwhile.")
      }
      session = page.session
      guard page.end >= kept?.position ?? 0 else {
        throw LogError.cut("The log ends at \(page.end), before its snapshot at \(table.position).")
      }
      stalls += 1
      for entry in page.entries where entry.position == next {
        each(entry)
        try add(entry)
        (next, stalls) = (next + 1, 0)
      }
      if next > page.end { return }
    }
    throw LogError.cut("Entry \(next) does not come, although the log has later ones.")
  }

  /// Checks that the log still has the entries that its snapshot follows from.
  private static func check(_ kept: Kept, in log: any Log) async throws {
    var place = Place()
    place.jump(to: kept.table.seen, before: kept.before)
    do {
      if try await place.isUnchanged({ try await log.entry(at: $0, within: .seconds(4)) }) {
        return
      }
    } catch LogError.trimmed {
      return  // Dropped entries can't be compared.
    }
    throw LogError.cut("The log has lost the entry of its snapshot at \(kept.table.position).")
  }

  private static func first(of log: any Log) async throws(LogError) -> LogPosition {
    do throws(LogError) { _ = try await log.read(from: 1, within: .zero) } catch {
      guard case .trimmed(let first) = error else { throw error }
      return first
    }
    return 1
  }

  private mutating func add(_ entry: LogEntry) throws {
    let header = try Entry.header(of: entry)
    if header == nil { strays.append(entry.position) }
    guard entry.position > table.position else { return }
    table.digest = digest(of: entry.bytes, after: table.digest)
    guard let header else { return table.pass(entry.position) }
    let outcome = table.outcome(of: header)
    table.count(header, at: entry.position)
    guard outcome == .reduced else { return }
    _ = table.apply(header, at: entry.position)
    if let next = table.acts(header.act) { table.upgrade(to: next) }
  }
}

extension LogContents {
  /// Takes a replica that will not come back out of the table, as ``SharedStore/remove(replica:)`` does.
  ///
  /// - Returns: whether the table had it.
  package static func remove(replica label: String, from log: any Log) async throws -> Bool {
    let sender = String(UInt64.random(in: .min ... .max), radix: 36)
    var failure: LogError?
    for _ in 0..<5 {
      let contents: LogContents
      do { contents = try await LogContents(of: log) } catch LogError.trimmed {
        failure = failure ?? .cut("Replicas drop entries sooner than they are read.")
        continue
      }
      if contents.table.number(of: sender) > 0 { return true }
      let live = contents.table.senders.values.filter { !$0.isGone }
      guard live.contains(where: { $0.replica == label }), let session = contents.session else {
        return false
      }
      let knows = live.map(\.knows).max() ?? 1
      let entry = Entry.end(of: label, knows: knows, seen: contents.table.seen, sender)
      let bytes = try Entry.bytes(entry, [])
      // Its reply may be lost, and other entries may come first, so the next reading decides.
      do throws(LogError) {
        _ = try await log.append(bytes, in: session, within: .seconds(4))
      } catch { failure = error }
    }
    throw failure ?? .unknown("The entry that takes \"\(label)\" out didn't come back.")
  }
}

extension LogEntry {
  /// One line of JSON: the position, the header, and the intents as the format writes them; or the
  /// bytes, in base 64, if no ``SharedStore`` made the entry.
  package var json: String {
    guard EntryID(of: bytes) != nil else {
      return "{\"position\":\(position),\"stray\":\"\(Data(bytes).base64EncodedString())\"}"
    }
    let lines = bytes.split(separator: newline).map { String(decoding: $0, as: UTF8.self) }
    let intents = lines.dropFirst().joined(separator: ",")
    return "{\"position\":\(position),\"header\":\(lines[0]),\"intents\":[\(intents)]}"
  }
}
