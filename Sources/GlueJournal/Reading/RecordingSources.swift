extension Directory {
  /// All that is kept, in order, while somebody may be writing it; or the one file that `path` is.
  ///
  /// States stand before the logs that follow them.
  func recordingSources() throws(FileError) -> [Source] {
    var attempts = 0
    while true {
      do throws(FileError) {
        if let sources = try newestListing() { return sources }
      } catch {
        if error.isNoDirectory { return [Source(path: path, bytes: try files.readAll(path))] }
        // What went meanwhile was not needed any more: it is listed again.
        if !error.isMissing || attempts == 1000 { throw error }
      }
      attempts += 1
    }
  }

  /// - Returns: nil if a log was not listed that is there.
  private func newestListing() throws(FileError) -> [Source]? {
    let contents = try contents()
    let states = contents.states
    let logs = contents.logs
    guard let oldest = states.first else { return [] }
    if states.contains(where: { !logs.contains($0) }) {
      for state in states { files.close(try files.open(path(of: logName(state)), .reading)) }
      return nil
    }
    var sources: [Source] = []
    for commit in logs where commit >= oldest {
      if states.contains(commit) { sources.append(try source(stateName(commit))) }
      sources.append(try source(logName(commit)))
    }
    return sources
  }
}

/// Reads all that sources hold, and decodes it.
func read<State>(
  _ sources: [Source], at path: String, _ format: JournalFormat<State>
) throws(JournalError) -> Recorded<State> {
  var reader = EventReader(format)
  try reader.read(examine(sources), of: sources)
  guard case .state = reader.recorded.events.first else {
    throw JournalError(path, "there is no journal here: no state begins it")
  }
  return reader.recorded
}
