import Glue

/// The result of opening a journal that has records.
struct Found: Sendable {
  let recorded: Recorded
  let log: File

  /// The sizes of the log and of the newest state, in bytes.
  let logSize: Int
  let stateSize: Int
  let next: Int
  let tornCount: Int

  /// Whether the log ends with the closing record of a process.
  let isClosed: Bool
}

extension Directory {
  /// Reads and decodes the newest state and its logs, then cuts off the torn tail of a last write,
  /// and syncs the rest.
  ///
  /// The cut comes last, so an opening that fails changes nothing.
  ///
  /// `judge` gets an error that names recorded properties that nothing reads.
  ///
  /// - Returns: nil if nothing was ever written here.
  func read(_ coding: Coding, judge: (JournalError) throws -> Void) throws -> Found? {
    guard let sources = try newestSources() else {
      // A process may have ended before it wrote the first state.
      try removeUnfinished()
      return nil
    }
    let examined = examine(sources, boot: files.boot)
    var recorded = try readRecords(examined, coding)
    let unread = coding.unread(in: examined, recorded)
    if !unread.isEmpty { recorded.isComparable = false }
    try keep(unread, of: examined, recorded, coding, judge: judge)
    var next = examined.next ?? 1
    var opened = LineBuffer()
    if let boot = files.boot, boot != examined.boot {
      let content = Record.Content.opened(after: recorded.commit, boot: boot)
      try opened.write(Record(number: next, durable: examined.durable, content: content), coding)
      next += 1
    }
    let tornCount = try drop(examined.unbegun) + examined.tornCount
    let last = examined.sources.count - 1
    for index in 0..<last where examined.sources[index].file?.isLog == true {
      _ = try mend(index, examined)
    }
    let log = try mend(last, examined, adding: opened.bytes)
    try removeUnfinished()
    try syncNames()
    return Found(
      recorded: recorded, log: log, logSize: examined.end + opened.bytes.count,
      stateSize: sources[0].bytes.count, next: next, tornCount: tornCount,
      isClosed: opened.bytes.isEmpty && recorded.isClosed)
  }

  /// Cuts off a damaged record and all behind it, which it keeps in files beside.
  ///
  /// - Throws: `JournalError` if nothing is damaged, or if nothing of the log or the state would
  ///   remain.
  package func cutDamage() throws -> (bytes: Int, loss: Loss) {
    // Locking writes a file, which must not replace one in a directory of another program.
    if try newestSources() == nil { throw JournalError(path, "there is no journal here") }
    let lock = try lock(waiting: .zero)
    defer { withExtendedLifetime(lock) {} }
    let examined = examine(try newestSources() ?? [], boot: files.boot)
    guard let damage = examined.damage else {
      throw JournalError(path, "no record that a program reads is damaged")
    }
    let sources = examined.sources
    guard let index = examined.cuttableIndex else { throw damage }
    let count = try drop((sources[(index + 1)...] + examined.unbegun).reversed())
    _ = try mend(index, examined)
    try syncNames()
    return (count + examined.tornCount, examined.loss(of: sources + examined.unbegun))
  }

  private func removeUnfinished() throws {
    for name in try names() where name.isUnfinished { try remove(name) }
  }

  private func drop(_ sources: [Source]) throws -> Int {
    for source in sources {
      try keep(source.bytes[...], of: source, at: 0)
      if let file = source.file { try remove(file) }
    }
    return sources.reduce(0) { $0 + $1.bytes.count }
  }

  /// Cuts off the torn tail of the last log, which it keeps in a file beside, then rewrites and syncs
  /// everything of a log that is not known to be on the disk.
  ///
  /// A sync alone proves nothing, because the kernel reports a failed write only once.
  private func mend(
    _ index: Int, _ examined: Examined, adding line: [UInt8] = []
  ) throws -> File {
    let source = examined.sources[index]
    let (durableEnd, end) = examined.ends(of: index)
    let log = try open(source.file?.text ?? "", .updating)
    if end < source.bytes.count {
      try keep(source.bytes[end...], of: source, at: end)
      try log.truncate(to: end)
    }
    let unproven = source.bytes[durableEnd..<end] + line
    if !unproven.isEmpty { try log.write(unproven, at: durableEnd) }
    try log.sync()
    return try open(log.name, .making)
  }

  /// Keeps bytes in a new file, unless a process that ended before it cut them off has kept them.
  private func keep(_ torn: ArraySlice<UInt8>, of source: Source, at offset: Int) throws {
    guard let file = source.file, !torn.isEmpty else { return }
    var (name, count) = ("\(file.text).torn-\(offset)", 1)
    while let kept = try bytes(of: name) {
      if torn.elementsEqual(kept) { return try syncNames() }
      count += 1
      name = "\(file.text).torn-\(offset)-\(count)"
    }
    try place(Array(torn), as: name)
  }

  private func bytes(of name: String) throws -> [UInt8]? {
    do { return try open(name, .reading).bytes() } catch let error as JournalError
      where error.isOfMissingFile
    { return nil }
  }
}
