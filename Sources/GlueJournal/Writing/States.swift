internal import Dispatch
import Glue

extension JournalCore {
  /// Begins a new log, and writes the state before it in the background (J8), when the one before
  /// is written.
  func snapshot(_ state: AnyState, after commit: Int) {
    background.sync {}
    guard let record = beginLog(after: state, of: commit) else { return }
    background.async { self.write(record, after: commit) }
  }

  /// Writes a clean end (J14).
  func end(with state: AnyState, after commit: Int) {
    background.sync {}
    if let record = beginLog(after: state, of: commit) { write(record, after: commit) }
    use { try $0.end() }
  }

  /// - Returns: the state to be written; nil if that was done, or a later one was recorded.
  private func beginLog(after state: AnyState, of commit: Int) -> Record? {
    let record = use { writer -> Record? in
      if writer.commit != commit || writer.stateCommit >= commit { return nil }
      return try writer.beginLog(after: state)
    }
    return record ?? nil
  }

  private func write(_ record: Record, after commit: Int) {
    let size = Result { try place(record) }
    use { writer in writer.noteState(after: commit, size: try size.get()) }
  }

  /// Writes a state, reads it back, and removes what is not needed any more; one that doesn't decode
  /// is reported instead, for the state before it and the logs give it too.
  ///
  /// - Returns: the size of the file, in bytes.
  func place(_ record: Record) throws -> Int {
    let name = Contents.name(record.number, "state")
    var line = LineBuffer()
    try line.write(record, coding)
    let value = lines(of: line.bytes).first?.members?["value"]
    do { _ = try coding.state(from: value, version: coding.version) } catch {
      let reason = reason(of: error, isBare: true)
      report(
        "the state", "isn't written, because it doesn't decode from what it encodes: \(reason)")
      return line.bytes.count
    }
    try directory.place(line.bytes, as: name)
    if try directory.source(name).bytes != line.bytes {
      throw JournalError("\(directory.path)/\(name)", "what is read back is not what was written")
    }
    try removeOld()
    return line.bytes.count
  }

  private func removeOld() throws {
    let contents = try directory.contents()
    guard let oldest = contents.states.suffix(options.keeping).first else { return }
    let old = contents.names(before: oldest)
    if old.isEmpty { return }
    // A state without its log would be taken for damage, so the states go first, and what somebody
    // else has removed meanwhile is gone, which is all that is wanted.
    for name in old where name.hasSuffix(".state") { try? directory.remove([name]) }
    try directory.syncNames()
    for name in old where !name.hasSuffix(".state") { try? directory.remove([name]) }
  }
}
