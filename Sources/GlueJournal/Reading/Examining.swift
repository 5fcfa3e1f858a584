/// The whole records of a journal's files, up to the first bad one.
package struct Examined {
  package struct Record: Sendable {
    let source: Int
    let offset: Int

    /// That of the state's encoding, by the last record that says it.
    let version: Int
    package var members: JSONMembers
  }

  package let sources: [Source]

  /// Logs that a process ended before it had begun them; they are behind the sources.
  var unbegun: [Source] = []
  package var records: [Record] = []

  /// The number of the record that comes next; nil where any may.
  var next: Int?

  /// Up to which record all are known to be on the disk.
  var durable = 0

  /// Where, in the last file, that is, where the whole records end, and how many bytes are behind.
  var durableEnd = 0
  var end = 0
  package var tornCount = 0
  package var damage: JournalError?

  /// The kernel's boot id when the last of them were written.
  var boot: String? { records.lazy.reversed().compactMap { $0.members["boot"]?.text }.first }
}

/// Reads records up to the first one that is bad: of a wrong checksum, or not the one expected.
///
/// Where a later one says that the bad one had been on the disk, that is corruption, and so it is
/// where a whole one follows that was written since the kernel has started: only a power failure
/// loses what is in the middle. Else it is the torn tail of a last write (J5).
package func examine(_ sources: [Source], boot: String? = SystemFiles().boot) -> Examined {
  var all = sources.map { lines(of: $0.bytes) }
  // The log of a state begins on the disk before the state is there, and any other may end there.
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
  for (index, source) in result.sources.enumerated() where result.damage == nil {
    (result.end, result.durableEnd) = (0, 0)
    let rest = all[index].drop { result.add($0, of: source, at: index) }
    result.tornCount = source.bytes.count - result.end
    let isUnbegun = result.end == 0 && source.file?.isLog == true
    let isShort = result.tornCount > 0 || result.end == 0
    let isRotten =
      rest.contains { $0.whole(in: source) != nil } && boot != nil && result.boot == boot
    let isLast = index == all.count - 1
    if isUnbegun || (isLast ? isRotten || result.next ?? 1 <= result.durable : isShort) {
      result.damage = JournalError(
        source.path, at: result.end, record: result.next ?? 1,
        "the record is damaged or missing, although it had been written; nothing was changed. "
          + "Keep all files; the article \"Surviving\" says how to go on")
    }
  }
  return result
}

extension Examined {
  fileprivate mutating func add(_ line: Line, of source: Source, at index: Int) -> Bool {
    guard let members = line.members, let number = members["n"]?.integer,
      next == nil || next == number
    else { return false }
    let isState = members["value"] != nil
    let isBehindState = records.last?.members["value"] != nil
    // A log begins each file of one, and follows each state.
    if isBehindState || end == 0 && source.file?.isLog == true, members["log"] == nil {
      return false
    }
    if let file = source.file, file.isState != isState { return false }
    next = isState ? number : number + 1
    end = line.range.upperBound
    if let next, next - 1 <= durable { durableEnd = end }
    let version = members["version"]?.integer ?? records.last?.version ?? 1
    records.append(
      Record(source: index, offset: line.range.lowerBound, version: version, members: members))
    return true
  }
}

extension Line {
  /// The record that it is, or that it ends with.
  fileprivate func whole(in source: Source) -> JSONMembers? {
    members ?? lastOf(source.bytes[range])
  }
}
