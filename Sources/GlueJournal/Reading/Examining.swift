/// The records that were found to be whole and in order.
package struct Examined {
  package struct Record: Sendable {
    let source: Int
    let offset: Int
    package let members: JSONMembers
  }

  package var records: [Record] = []

  /// The number of the record that comes next.
  var next = 1

  /// Up to which record all are known to be on the disk.
  var durable = 0

  /// Where, in the last file, that is.
  var durableEnd = 0

  /// Where, in the last file, the whole records end.
  var end = 0

  /// How much is behind them there, in bytes.
  package var tornCount = 0

  /// Why the records are not all.
  package var damage: JournalError?

  /// The kernel's boot id when the last of them were written.
  var boot: String? { records.lazy.reversed().compactMap { $0.members["boot"]?.text }.first }
}

/// Reads records up to the first one that is bad: of a wrong checksum, or not the one expected.
///
/// Where a later one says that the bad one had been on the disk, that is corruption, and so it is
/// where a whole one follows that was written since the kernel has started: only a power failure
/// loses what is in the middle. Else it is the torn tail of a last write (J5).
///
/// - Parameters:
///   - sources: the files, in order.
///   - boot: the kernel's boot id.
/// - Returns: the records before the first bad one.
package func examine(_ sources: [Source], boot: String? = SystemFiles().boot) -> Examined {
  let all = sources.map { lines(of: $0.bytes) }
  var result = Examined()
  for (source, lines) in zip(sources, all) {
    for line in lines {
      result.durable = max(result.durable, line.whole(in: source)?["d"]?.integer ?? 0)
    }
  }
  var expected = Expectation(sources.first?.number)
  for (index, source) in sources.enumerated() {
    result.end = 0
    result.durableEnd = 0
    var rest = all[index][...]
    while let line = rest.first, let members = line.members,
      expected.isMet(by: members, isFirst: result.end == 0, in: source)
    {
      rest.removeFirst()
      result.records.append(
        Examined.Record(source: index, offset: line.range.lowerBound, members: members))
      result.end = line.range.upperBound
      if let next = expected.number, next - 1 <= result.durable { result.durableEnd = result.end }
    }
    result.tornCount = source.bytes.count - result.end
    result.next = expected.number ?? 1
    let isLast = index == sources.count - 1
    let isShort = result.tornCount > 0 || result.end == 0
    let isRotten =
      rest.contains { $0.whole(in: source) != nil } && boot != nil && result.boot == boot
    if isLast ? isRotten || result.next <= result.durable : isShort {
      result.damage = damage(in: source, result)
      return result
    }
  }
  return result
}

extension Line {
  /// The record that it is, or that it ends with.
  fileprivate func whole(in source: Source) -> JSONMembers? {
    members ?? lastOf(source.bytes[range])
  }
}

/// What is wrong behind the records that are whole.
func damage(in source: Source, _ examined: Examined) -> JournalError {
  JournalError(
    source.path, at: examined.end, record: examined.next,
    "the record is damaged or missing, although it had been written; nothing was changed. "
      + "Keep all files; the article \"Surviving\" says how to go on")
}

/// Which record comes next.
private struct Expectation {
  var number: Int?

  /// Whether a state was the last, before whose log it stands.
  private var isOfLog = false

  init(_ number: Int?) { self.number = number }

  /// Whether a record is the one that is expected; if so, expects the next.
  mutating func isMet(by members: JSONMembers, isFirst: Bool, in source: Source) -> Bool {
    let isState = members["value"] != nil
    guard let number = members["n"]?.integer, self.number == nil || self.number == number,
      source.isState == nil || source.isState == isState,
      !isOfLog && !(isFirst && source.isState == false) || members["log"] != nil
    else { return false }
    isOfLog = isState
    self.number = isState ? number : number + 1
    return true
  }
}
