/// The bytes of a file of a journal's.
struct Source {
  let path: String
  let bytes: [UInt8]
}

/// The records that were found to be whole and in order.
struct Examined {
  struct Record {
    let source: Int
    let offset: Int
    let members: JSONMembers
  }

  var records: [Record] = []

  /// The number of the record that comes next.
  var next = 1

  /// Up to which record all are known to be on the disk.
  var durable = 0

  /// Where, in the last file, that is.
  var durableEnd = 0

  /// Where, in the last file, the whole records end.
  var end = 0

  /// How much is behind them there, in bytes.
  var tornCount = 0
}

/// Reads records up to the first one that is bad: of a wrong checksum, or not the one expected.
///
/// Where a later one says that the bad one had been on the disk, that is corruption. Else it is the
/// torn tail of a last write (J5).
func examine(_ sources: [Source]) throws(JournalError) -> Examined {
  let all = sources.map { lines(of: $0.bytes) }
  var result = Examined()
  for (source, lines) in zip(sources, all) {
    for line in lines {
      let members = line.members ?? lastOf(source.bytes, line.range)
      // In an export, which may be cut off anywhere, a state stands before the log that it covers.
      let isBefore = sources.count == 1 && members?["state"] != nil && members?["n"] == nil
      result.durable = max(result.durable, (members?["d"]?.integer ?? 0) - (isBefore ? 1 : 0))
    }
  }
  var expected: Int?
  for (index, source) in sources.enumerated() {
    result.end = 0
    result.durableEnd = 0
    for line in all[index] {
      guard let members = line.members, fits(members, &expected) else { break }
      result.records.append(
        Examined.Record(source: index, offset: line.range.lowerBound, members: members))
      result.end = line.range.upperBound
      if let expected, expected - 1 <= result.durable { result.durableEnd = result.end }
    }
    result.tornCount = source.bytes.count - result.end
    let next = expected ?? 1
    if result.tornCount > 0 && (next <= result.durable || index < sources.count - 1) {
      throw JournalError(
        source.path, at: result.end, record: next,
        "the record is damaged or missing, although it had been on the disk; nothing was changed. "
          + "Keep all files; the article \"Surviving\" says how to go on")
    }
  }
  result.next = expected ?? 1
  if let last = sources.last, result.next <= result.durable {
    throw JournalError(
      last.path, at: result.end, record: result.next,
      "the file ends here, although it had been longer on the disk; nothing was changed")
  }
  return result
}

/// Whether a record is the one that is expected; if so, expects the next.
private func fits(_ members: JSONMembers, _ expected: inout Int?) -> Bool {
  if members["state"] != nil, members["n"] == nil {
    guard let durable = members["d"]?.integer else { return false }
    if let next = expected { return next == durable }
    expected = durable
    return true
  }
  guard let number = members["n"]?.integer, number > 0, number < .max else { return false }
  if let next = expected, next != number { return false }
  expected = number + 1
  return true
}
