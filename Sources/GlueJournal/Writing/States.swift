internal import Dispatch
import Glue

extension JournalCore {
  /// Begins a new log, and writes the state before it in the background (J8).
  func snapshot(_ state: AnyState, after commit: Int) {
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
      writer.isSnapshotting = writer.commit == commit && writer.stateCommit < commit
      return writer.isSnapshotting ? try writer.beginLog(after: state) : nil
    }
    return record ?? nil
  }

  private func write(_ record: Record, after commit: Int) {
    var size = Result { try place(record) }
    if case .failure(let error as Undecodable) = size {
      // The state before it and the logs give it, and a state is tried again with the next log.
      let text = "after commit \(commit) isn't written, because it does not decode: \(error.reason)"
      report(Report(subject: "the state", text: text))
      size = .success(error.size)
    }
    use { writer in writer.noteState(after: commit, size: try size.get()) }
  }

  /// Writes a state, reads it back, and removes what is not needed any more.
  ///
  /// - Returns: the size of the file, in bytes.
  /// - Throws: ``Undecodable``, and no file is made, for a journal could not be opened with it.
  func place(_ record: Record) throws -> Int {
    let name = Contents.name(record.number, "state")
    var line = LineBuffer()
    try line.write(record, coding)
    let source = Source(path: directory.path(of: name), bytes: line.bytes)
    let value = examine([source]).records.first?.members["value"]
    do { _ = try coding.state(from: value, version: coding.version) } catch {
      throw Undecodable(size: line.bytes.count, reason: bareReason(of: error))
    }
    try directory.place(line.bytes, as: name)
    if try directory.source(name).bytes != line.bytes {
      throw JournalError(source.path, "what is read back is not what was written")
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
    try directory.syncNames(in: directory.path)
    for name in old where !name.hasSuffix(".state") { try? directory.remove([name]) }
  }
}

/// A state that encodes, but does not decode.
struct Undecodable: Error {
  /// How large its file would be, in bytes.
  let size: Int
  let reason: String
}
