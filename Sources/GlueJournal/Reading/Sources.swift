/// Reads all states and logs of a journal's directory, or the one file at the path, such as an
/// export.
package func recordingSources(
  at path: String, _ files: any SystemFiles = systemFiles
) throws -> [Source] {
  do { return try Directory(at: path, files).recordingSources() } catch let error as JournalError
    where error.isOfNoDirectory
  {
    return [Source(path: path, bytes: try File(path, in: nil, .reading, files).bytes())]
  }
}

extension Directory {
  /// Reads all states and logs in order, even while a program writes them.
  ///
  /// Files may be missing: examining the sources finds that.
  func recordingSources(attempts: Int = 1000) throws -> [Source] {
    let names = try names()
    // The writer makes a log before its state, and removes only files that are no longer needed,
    // so a new listing finds everything.
    if attempts > 0, !names.allSatisfy({ $0.hasLog(among: names) }) {
      return try recordingSources(attempts: attempts - 1)
    }
    do {
      if let sources = try sources(of: names, from: names.first(where: \.isState)) {
        return sources
      }
    } catch let error as JournalError where error.isOfMissingFile && attempts > 0 {
      return try recordingSources(attempts: attempts - 1)
    }
    throw JournalError(path, "there is no journal here, because there is no state")
  }

  /// Reads the newest state and its logs; nil if nothing was ever written here.
  func newestSources() throws -> [Source]? {
    let names = try names()
    return try sources(of: names, from: names.last(where: \.isState))
  }

  /// Reads the files from a state on, or all logs if there is none; nil if nothing was ever written.
  private func sources(of names: [FileName], from state: FileName?) throws -> [Source]? {
    let first = state?.number ?? 0
    let sources = try names.filter { $0.number >= first && ($0.isState || $0.isLog) }.map(source)
    if state != nil || sources.count > 1 { return sources }
    // A process may have ended before its first state was in place.
    guard let log = sources.first, let file = log.file else { return nil }
    let count = lines(of: log.bytes).count { $0.members != nil }
    return file.number == 1 && count <= 1 ? nil : sources
  }
}

extension FileName {
  /// Whether this is no state, or a state that has its log.
  fileprivate func hasLog(among names: [FileName]) -> Bool {
    !isState || names.contains { $0.isLog && $0.number == number }
  }
}
