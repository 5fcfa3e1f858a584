/// All that is kept in a journal's directory, or the one file that is at a path, as an export is.
package func recordingSources(
  at path: String, _ files: SystemFiles = SystemFiles()
) throws -> [Source] {
  do { return try Directory(at: path, files).recordingSources() } catch let error as JournalError
    where error.isOfNoDirectory
  {
    return [Source(path: path, bytes: try File(path, in: nil, .reading, files).bytes())]
  }
}

extension Directory {
  /// All that is kept, in order, while it may be written.
  func recordingSources(attempts: Int = 1000) throws -> [Source] {
    do {
      let names = try names()
      guard let oldest = names.first(where: \.isState) else {
        throw JournalError(path, "there is no journal here: no state begins it")
      }
      return try sources(of: names, from: oldest)
    } catch let error as JournalError where error.isOfMissingFile && attempts > 0 {
      // What went meanwhile was not needed any more, and a new log was made before its state.
      return try recordingSources(attempts: attempts - 1)
    }
  }

  /// The newest state, and the logs from there on; nil if nothing was ever written here.
  func newestSources() throws -> [Source]? {
    let names = try names()
    if let newest = names.last(where: \.isState) { return try sources(of: names, from: newest) }
    let logs = names.filter(\.isLog)
    // A process may have ended before it had begun a journal.
    if logs.isEmpty { return nil }
    if logs.count == 1, logs[0].number == 1,
      try lines(of: source(logs[0]).bytes).count(where: { $0.members != nil }) <= 1
    {
      return nil
    }
    throw JournalError(
      path, "there are commits, but no state that they follow; nothing was changed")
  }

  private func sources(of names: [FileName], from first: FileName) throws -> [Source] {
    let names = names.filter { $0.number >= first.number && ($0.isState || $0.isLog) }
    for state in names where state.isState {
      if names.contains(where: { $0.isLog && $0.number == state.number }) { continue }
      throw JournalError(
        missing: path,
        "\(state.text) is there, but not its log, which was made before it; nothing was changed")
    }
    return try names.map(source)
  }
}
