/// Reads all states and logs of a journal's directory, or the one file at the path, such as an
/// export.
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
  /// Reads all states and logs in order, even while a program writes them.
  func recordingSources(attempts: Int = 1000) throws -> [Source] {
    do {
      let names = try names()
      guard let oldest = names.first(where: \.isState) else {
        throw JournalError(path, "there is no journal here, because there is no state")
      }
      return try sources(of: names, from: oldest)
    } catch let error as JournalError where error.isOfMissingFile && attempts > 0 {
      // The writer makes a log before its state, and removes only files that are no longer needed,
      // so a new listing finds everything.
      return try recordingSources(attempts: attempts - 1)
    }
  }

  /// Reads the newest state and its logs; nil if nothing was ever written here.
  func newestSources() throws -> [Source]? {
    let names = try names()
    if let newest = names.last(where: \.isState) { return try sources(of: names, from: newest) }
    let logs = names.filter(\.isLog)
    // A process may have ended before its first state was in place.
    if logs.isEmpty { return nil }
    if logs.count == 1, logs[0].number == 1,
      try lines(of: source(logs[0]).bytes).count(where: { $0.members != nil }) <= 1
    {
      return nil
    }
    throw JournalError(
      path, "there are commits, but no state before them; nothing was changed")
  }

  private func sources(of names: [FileName], from first: FileName) throws -> [Source] {
    let names = names.filter { $0.number >= first.number && ($0.isState || $0.isLog) }
    for state in names where state.isState {
      if names.contains(where: { $0.isLog && $0.number == state.number }) { continue }
      throw JournalError(
        missing: path,
        "\(state.text) has no log, although the log is made first; nothing was changed")
    }
    return try names.map(source)
  }
}
