internal import Dispatch
import Glue

/// What a state file says besides the state.
struct StatePlace: Sendable {
  let commit: Int

  /// Up to which record all are known to be on the disk: the first one of the log that follows.
  let durable: Int

  /// The effects that are left.
  let left: [[UInt8]]
}

/// What a state is written for.
enum JournalPoint: Sendable {
  /// The commits before it need not be replayed any more.
  case snapshot

  /// This is a clean end.
  case end
}

extension Journal {
  /// Begins a new log, and writes the state that it follows: in the background, unless this is the
  /// end.
  func write(_ state: State, after commit: Int, _ point: JournalPoint) {
    switch point {
    case .snapshot:
      guard let place = beginLog() else { return }
      background.async { self.write(state, place) }
    case .end:
      background.sync {}
      if let place = beginLog() { write(state, place) }
      use { try $0.writer.end() }
    }
  }

  /// Writes the state in the version of today, in which the next records will be.
  func renew(with state: State, _ log: LogFile) {
    let place = use { writing in writing.place(before: log.firstRecord) }
    guard let place else { return }
    if log.commit == place.commit {
      write(state, place)
      use { try $0.writer.renewLog() }
    } else if let place = beginLog() {
      write(state, place)
    }
  }

  /// - Returns: what the new log follows; nil if the state is written already.
  private func beginLog() -> StatePlace? {
    let place = use { writing -> StatePlace? in
      try writing.writer.beginLog()
      if writing.stateCommit == writing.writer.commit {
        writing.isSnapshotting = false
        return nil
      }
      return writing.place(before: writing.writer.log.firstRecord)
    }
    return place ?? nil
  }

  private func write(_ state: State, _ place: StatePlace) {
    let size = Result {
      let size = try self.place(Array(format.coding.encode(state)), place)
      try check(place.commit)
      return size
    }
    use { writing in
      writing.stateSize = try size.get()
      writing.stateCommit = place.commit
      writing.isSnapshotting = false
    }
  }

  /// - Returns: the size of the file, in bytes.
  func place(_ json: [UInt8], _ place: StatePlace) throws -> Int {
    var line = LineBuffer()
    line.state(
      json, after: place.commit, durable: place.durable, version: format.version,
      at: microsecondsNow(), left: place.left)
    try directory.place(line.bytes, as: directory.stateName(place.commit))
    return line.bytes.count
  }

  /// Reads a state back, and then removes what is not needed any more.
  private func check(_ commit: Int) throws {
    let source = try directory.source(directory.stateName(commit))
    guard let line = lines(of: source.bytes).first?.members else {
      throw JournalError(source.path, "what was written is not what is read")
    }
    var reader = EventReader(format)
    try reader.read(Examined(records: [.init(source: 0, offset: 0, members: line)]), of: [source])
    let contents = try directory.contents()
    guard let oldest = contents.states.suffix(options.keeping).first else { return }
    let old = contents.names(before: oldest)
    if old.isEmpty { return }
    // A state without its log would be taken for damage, so the states go first, and what somebody
    // else has removed meanwhile is gone, which is all that is wanted.
    for name in old where name.hasSuffix(".state") { try? directory.remove([name]) }
    try directory.files.syncNames(in: directory.path)
    for name in old where !name.hasSuffix(".state") { try? directory.remove([name]) }
  }
}

extension Writing {
  fileprivate func place(before record: Int) -> StatePlace {
    StatePlace(
      commit: writer.commit, durable: record,
      left: writer.left.sorted { $0.key < $1.key }.map(\.value))
  }
}
