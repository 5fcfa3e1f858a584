/// All that is kept in a journal's directory, or the one file that is at a path, as an export is.
package func recordingSources(at path: String) throws -> [Source] {
  try recordingSources(at: path, SystemFiles())
}

func recordingSources(at path: String, _ files: any FileSystem) throws -> [Source] {
  do { return try Directory(at: path, files).recordingSources() } catch let error as JournalError
    where error.isOfNoDirectory
  {
    return [Source(path: path, bytes: try File(path, in: nil, .reading, files).bytes())]
  }
}

extension Directory {
  /// All that is kept, in order, while somebody may be writing it.
  ///
  /// States stand before the logs that follow them.
  func recordingSources() throws -> [Source] {
    for attempt in 0... {
      do { if let sources = try newestListing() { return sources } } catch let error as JournalError
      {
        // What went meanwhile was not needed any more: it is listed again.
        if !error.isOfMissingFile || attempt == 1000 { throw error }
      }
    }
    return []
  }

  /// - Returns: nil if a log was not listed that is there.
  private func newestListing() throws -> [Source]? {
    let contents = try contents()
    let (states, logs) = (contents.states, contents.logs)
    guard let oldest = states.first else {
      throw JournalError(path, "there is no journal here: no state begins it")
    }
    if let state = states.first(where: { !logs.contains($0) }) {
      _ = try open(Contents.name(state, "log"), .reading)
      return nil
    }
    var sources: [Source] = []
    for record in logs where record >= oldest {
      if states.contains(record) { sources.append(try source(Contents.name(record, "state"))) }
      sources.append(try source(Contents.name(record, "log")))
    }
    return sources
  }

  /// The newest state, and the logs from there on; nil if nothing was ever written here.
  func newestSources() throws -> [Source]? {
    let contents = try contents()
    guard let newest = contents.states.last else {
      if try isUnbegun(contents) { return nil }
      throw JournalError(
        path, "there are commits, but no state that they follow; nothing was changed")
    }
    let state = Contents.name(newest, "state")
    guard contents.logs.contains(newest) else {
      throw JournalError(
        path, "\(state) is there, but not its log, which was made before it; nothing was changed")
    }
    return try [source(state)]
      + contents.logs.filter { $0 >= newest }.map { try source(Contents.name($0, "log")) }
  }

  /// Whether a process ended before it had begun a journal.
  private func isUnbegun(_ contents: Contents) throws -> Bool {
    if contents.logs.isEmpty { return true }
    if contents.logs != [1] { return false }
    return try lines(of: source(Contents.name(1, "log")).bytes).count { $0.members != nil } <= 1
  }
}
