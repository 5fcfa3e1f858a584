/// What was found where a journal was opened.
struct Found<State: Codable & Sendable>: Sendable {
  let recorded: Recorded<State>
  let log: LogFile

  /// The commit of the newest state, and its size in bytes.
  let stateCommit: Int
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
  func open<State>(_ format: JournalFormat<State>) throws -> Found<State>? {
    guard var sources = try newestSources() else { return nil }
    var examined = try examine(sources)
    var empty: [String] = []
    while examined.end == 0, sources.count > 2, let last = sources.popLast() {
      empty.append(last.path)
      if examined.tornCount > 0 { try keep(last.bytes[...], tornOff: last.path, at: 0) }
      examined = try examine(sources)
    }
    var reader = EventReader(format)
    try reader.read(examined, of: sources)
    for path in empty { try files.remove(path) }
    let log = try mend(sources[sources.count - 1], examined, sources.count - 1)
    try remove(contents().unfinished)
    try files.syncNames(in: path)
    return Found(
      recorded: reader.recorded, log: log,
      stateCommit: examined.records.first?.members["state"]?.integer ?? 0,
      stateSize: sources[0].bytes.count, next: examined.next,
      report: examined.tornCount == 0
        ? nil
        : "\(path): the last \(examined.tornCount) bytes of \(log.name) were torn when a process "
          + "ended while it wrote, or damaged since, and are kept beside")
  }

  /// Cuts off what is torn, keeping it in a file beside, and writes anew what is not known to be on
  /// the disk: a kernel that could not write it would not say so twice.
  private func mend(_ last: Source, _ examined: Examined, _ index: Int) throws -> LogFile {
    let first = examined.records.first { $0.source == index }
    let log = try LogFile(
      in: self, after: first?.members["log"]?.integer ?? 0,
      goingOn: first?.members["n"]?.integer ?? 1, at: examined.end)
    if examined.tornCount > 0 {
      try keep(last.bytes[examined.end...], tornOff: last.path, at: examined.end)
      try files.truncate(log.file, to: examined.end)
    }
    try files.writeAll(
      Array(last.bytes[examined.durableEnd..<examined.end]), to: log.file,
      at: examined.durableEnd)
    try files.syncAll(log.file)
    return log
  }

  private func keep(_ torn: ArraySlice<UInt8>, tornOff file: String, at offset: Int) throws {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    try place(Array(torn), as: "\(name).torn-\(offset)")
  }

  /// The newest state, and the logs from there on.
  private func newestSources() throws -> [Source]? {
    let contents = try contents()
    guard let newest = contents.states.last else {
      if try hasNothing(contents) { return nil }
      throw JournalError(
        path, "there are commits, but no state that they follow; nothing was changed")
    }
    guard contents.logs.contains(newest) else {
      throw JournalError(
        path,
        "\(stateName(newest)) is there, but \(logName(newest)), which was made before it, is "
          + "not; nothing was changed")
    }
    let logs = contents.logs.filter { $0 >= newest }
    return try ([stateName(newest)] + logs.map(logName)).map(source)
  }

  /// Whether a process ended before it had begun a journal.
  private func hasNothing(_ contents: Contents) throws -> Bool {
    if contents.logs.isEmpty { return true }
    if contents.logs != [0] { return false }
    return try lines(of: source(logName(0)).bytes).count { $0.members != nil } <= 1
  }
}
