/// The whole records of a journal's files, up to the first bad one.
package struct Examined {
  package struct Record: Sendable {
    let source: Int
    let offset: Int

    /// The version of the state's encoding, from the last record that has one.
    let version: Int
    package var members: JSONMembers
  }

  package private(set) var sources: [Source]

  /// Logs behind the sources that hold no whole record, because their process ended first, or whose
  /// records follow a torn one.
  var unbegun: [Source] = []
  package var records: [Record] = []

  /// The number of the next record; nil if it may have any number.
  var next: Int?

  /// The last record known to be on the disk, with all before it.
  var durable = 0

  /// In the last file: the offset where the whole records end, and the number of bytes behind.
  var end = 0
  package var tornCount = 0
  package var damage: JournalError?

  /// How many bytes an opening sets aside as torn.
  package var unreadCount: Int { tornCount + unbegun.reduce(0) { $0 + $1.bytes.count } }

  /// The damage, or the torn end of an export: an export is written whole, so no write was cut
  /// short.
  package var flaw: JournalError? {
    if damage != nil || tornCount == 0 || sources.last?.file != nil { return damage }
    return JournalError(
      sources.last?.path ?? "", at: end, record: next,
      "the last \(tornCount) bytes are no whole record, although an export is written whole")
  }

  /// The offsets in a file where the records end that are known to be on the disk, and where all whole
  /// ones end.
  func ends(of index: Int) -> (durable: Int, whole: Int) {
    // A line feed ends each.
    let end = records.last { $0.source == index }.map { $0.members.bytes.endIndex + 1 } ?? 0
    let first = records.first { record in
      record.source == index && record.members["n"]?.integer ?? 0 > durable
    }
    return (first?.offset ?? end, end)
  }

  /// The kernel's boot id when the last records were written.
  var boot: String? { records.lazy.reversed().compactMap { $0.members["boot"]?.text }.first }
}

/// Reads records up to the first bad one, which has a wrong checksum or an unexpected number or
/// kind.
///
/// The bad record is corruption if a later record says that it was on the disk. It also is if a
/// whole record follows it that was written since the kernel started, because only a power failure
/// loses a record in the middle. In an export nothing loses one. Otherwise the bad record begins the
/// torn tail of a last write (J5), to which later logs without a state belong.
package func examine(_ sources: [Source], boot: String? = systemFiles.boot) -> Examined {
  var all = sources.map { lines(of: $0.bytes) }
  // A process can end after it made a log and before the log has a whole record or its state.
  while all.count > 1, sources[all.count - 1].file?.number != sources[all.count - 2].file?.number,
    all[all.count - 1].allSatisfy({ $0.whole(in: sources[all.count - 1]) == nil })
  {
    all.removeLast()
  }
  var result = Examined(sources: Array(sources[..<all.count]))
  result.unbegun = Array(sources[all.count...])
  result.next = sources.first?.file?.number
  for (source, lines) in zip(sources, all) {
    for line in lines {
      result.durable = max(result.durable, line.whole(in: source)?["d"]?.integer ?? 0)
    }
  }
  // Of a log, and of the end of the one before it, only its state proves that they are on the disk.
  let firstUnproven = (result.sources.lastIndex(where: \.isState) ?? -1) + 1
  for (index, source) in zip(result.sources.indices, result.sources) where result.damage == nil {
    let first = all[index].first?.members?["n"]?.integer
    if index > firstUnproven, first != result.next, result.mayBeTorn(boot) {
      result.endSources(before: index)
      break
    }
    result.end = 0
    let rest = all[index].drop { result.add($0, of: source, at: index) }
    result.tornCount = source.bytes.count - result.end
    let isUnbegun = result.end == 0 && source.file?.isLog == true
    let isShort = result.tornCount > 0 || result.end == 0
    let isOfThisBoot = boot != nil && result.boot == boot
    let isRotten =
      (isOfThisBoot || source.file == nil) && rest.contains { $0.whole(in: source) != nil }
    let isLast = index == all.count - 1
    if index >= firstUnproven, isShort, !isLast, !isUnbegun, result.mayBeTorn(boot) {
      result.endSources(before: index + 1)
      break
    }
    if isUnbegun || (isLast ? isRotten || result.next ?? 1 <= result.durable : isShort) {
      result.damage = JournalError(
        source.path, at: result.end, record: result.next ?? 1,
        "the record is damaged or missing, although it had been written; \(advice)")
    } else if source.file?.isState == true, !sources.holdsLog(at: index + 1, of: source) {
      result.damage = JournalError(
        source.path, "this state has no log, although the log is made first; \(advice)")
    }
  }
  if let first = sources.first, result.damage == nil,
    result.records.first?.members["value"] == nil
  {
    result.damage = JournalError(
      first.path, at: 0,
      result.records.isEmpty
        ? "nothing here is a record of a journal"
        : "there are records, but no state before them; \(advice)")
  }
  return result
}

private let advice =
  "nothing was changed. Keep all files, and see the article \"Repairing a journal\""

extension [Source] {
  fileprivate func holdsLog(at index: Int, of state: Source) -> Bool {
    guard index < count, let file = self[index].file else { return false }
    return file.isLog && file.number == state.file?.number
  }
}

extension Examined {
  /// Whether a restart can have lost the next record.
  fileprivate func mayBeTorn(_ boot: String?) -> Bool {
    next ?? 1 > durable && (boot == nil || self.boot != boot)
  }

  /// Makes the sources from an index on a part of the torn tail.
  fileprivate mutating func endSources(before index: Int) {
    unbegun = sources[index...] + unbegun
    sources.removeSubrange(index...)
  }

  fileprivate mutating func add(_ line: Line, of source: Source, at index: Int) -> Bool {
    guard let members = line.members, let number = members["n"]?.integer,
      next == nil || next == number
    else { return false }
    let isState = members["value"] != nil
    let isBehindState = records.last?.members["value"] != nil
    // A log's record is the first in each log, and follows each state.
    if isBehindState || end == 0 && source.file?.isLog == true, members["log"] == nil {
      return false
    }
    if let file = source.file, file.isState != isState { return false }
    next = isState ? number : number + 1
    end = line.range.upperBound
    let version = members["version"]?.integer ?? records.last?.version ?? 1
    records.append(
      Record(source: index, offset: line.range.lowerBound, version: version, members: members))
    return true
  }
}

extension Line {
  /// The line's record, or the whole record at the end of a bad line.
  func whole(in source: Source) -> JSONMembers? {
    members ?? lastOf(source.bytes[range])
  }
}
