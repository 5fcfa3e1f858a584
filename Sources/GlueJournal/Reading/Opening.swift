/// What was found where a journal was opened.
struct Found: Sendable {
  let recorded: Recorded
  let log: File
  let logSize: Int

  /// The size of the newest state, in bytes.
  let stateSize: Int

  /// The number of the next record.
  let next: Int

  /// What was cut off, to be told.
  let report: String?
}

extension Directory {
  /// Reads and decodes what a store goes on with, then cuts off what a last write has left torn,
  /// and sees to it that the rest is on the disk.
  ///
  /// - Returns: nil if nothing was ever written here.
  func read(_ coding: Coding) throws -> Found? {
    guard let all = try newestSources() else { return nil }
    let (sources, examined, unbegun) = examineNewest(all, boot: files.boot)
    let recorded = try readRecords(examined, of: sources, coding)
    for source in unbegun { try drop(source) }
    let tornCount = unbegun.reduce(examined.tornCount) { $0 + $1.bytes.count }
    let last = sources[sources.count - 1]
    var next = examined.next ?? 1
    var opened = LineBuffer()
    if let boot = files.boot, boot != examined.boot {
      let content = Record.Content.opened(after: recorded.commit, boot: boot)
      try opened.write(Record(number: next, durable: examined.durable, content: content), coding)
      next += 1
    }
    let log = try mend(last, examined, adding: opened.bytes)
    try remove(names().filter(\.isUnfinished).map(\.name))
    try syncNames()
    return Found(
      recorded: recorded, log: log, logSize: examined.end + opened.bytes.count,
      stateSize: sources[0].bytes.count, next: next,
      report: tornCount == 0
        ? nil
        : "\(last.path): the last \(tornCount) bytes were torn when a process ended while it wrote, "
          + "or damaged since, and are kept beside")
  }

  /// Cuts off a damaged record and all behind it, keeping that in files beside.
  ///
  /// - Returns: how many bytes that were.
  /// - Throws: that nothing is damaged, or that nothing would be left of the log or the state.
  package func cutDamage() throws -> Int {
    let lock = try lock(waiting: .zero)
    let (sources, examined, unbegun) = examineNewest(try newestSources() ?? [], boot: files.boot)
    guard let damage = examined.damage else {
      throw JournalError(path, "nothing is damaged that a program would read")
    }
    guard examined.end > 0, let index = sources.firstIndex(where: { $0.path == damage.path }),
      sources[index].isState == false
    else { throw damage }
    let behind = sources[(index + 1)...] + unbegun
    for source in behind.reversed() { try drop(source) }
    _ = try mend(sources[index], examined, adding: [])
    try syncNames()
    return withExtendedLifetime(lock) {
      behind.reduce(examined.tornCount) { $0 + $1.bytes.count }
    }
  }

  private func drop(_ source: Source) throws {
    try keep(source.bytes[...], tornOff: source.name, at: 0)
    try remove([source.name])
  }

  /// Cuts off what is torn, keeping it in a file beside, and writes anew what is not known to be on
  /// the disk: a kernel that could not write it would not say so twice.
  private func mend(
    _ last: Source, _ examined: Examined, adding line: [UInt8]
  ) throws -> File {
    let log = try open(last.name, .updating)
    if examined.tornCount > 0 {
      try keep(last.bytes[examined.end...], tornOff: last.name, at: examined.end)
      try log.truncate(to: examined.end)
    }
    try log.write(
      Array(last.bytes[examined.durableEnd..<examined.end]) + line, at: examined.durableEnd)
    try log.sync()
    return log
  }

  private func keep(_ torn: ArraySlice<UInt8>, tornOff name: String, at offset: Int) throws {
    if !torn.isEmpty { try place(Array(torn), as: "\(name).torn-\(offset)") }
  }
}

/// Examines what a store would go on with.
///
/// - Parameters:
///   - sources: the newest state, and the logs from there on.
///   - boot: the kernel's boot id.
/// - Returns: it, and logs that a process ended before it had begun them.
package func examineNewest(
  _ sources: [Source], boot: String? = SystemFiles().boot
) -> (sources: [Source], examined: Examined, unbegun: [Source]) {
  var sources = sources
  var examined = examine(sources, boot: boot)
  var unbegun: [Source] = []
  while examined.end == 0, examined.damage == nil, sources.count > 2 {
    unbegun.append(sources.removeLast())
    examined = examine(sources, boot: boot)
  }
  // The log of a state begins on the disk before the state is there.
  if examined.end == 0, examined.damage == nil, sources.count > 1 {
    examined.damage = damage(in: sources[1], examined)
  }
  return (sources, examined, unbegun)
}
