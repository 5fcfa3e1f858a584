public import Glue

/// What a journal has recorded, to be replayed: for an audit, or as a bug report that is a test.
///
///     let recording = try Recording(at: directory, format)
///     for step in try recording.steps(reducer: todos) {
///       print(step.commit.number, step.commit.intent)
///     }
///     #expect(try recording.verify(reducer: todos) == nil)
///
/// It runs reducers and nothing else, and changes nothing. It needs no lock, so it may read what is
/// being written. Reducers are those of all intents: `withKey(\.self, use: todos)` makes one of a
/// typed `todos`.
public struct Recording<State: Codable & Sendable>: Sendable {
  let recorded: Recorded
  let coding: Coding

  /// Reads a recording and decodes every record of it.
  ///
  /// The path leads to the directory of a journal, or to a file that an export has written. A last
  /// record that is not whole, as of a journal that is being written or was cut off, is left out.
  ///
  /// - Throws: ``JournalError`` for what cannot be read or decoded, and where it is.
  /// - Complexity: O(*n*) in the size of the files, in time and memory.
  public init(at path: String, _ format: JournalFormat<State>) throws {
    try self.init(at: path, SystemFiles(), format)
  }

  init(at path: String, _ files: SystemFiles, _ format: JournalFormat<State>) throws {
    coding = format.coding
    recorded = try readRecords(
      examine(recordingSources(at: path, files), boot: files.boot), coding)
  }

  /// One commit of a recording.
  public struct Step: Sendable {
    /// When it was made, in seconds since 1970.
    public let seconds: Double

    /// What happened.
    public let commit: Commit<State>

    /// Where it is recorded, in one line: the path of the file, the byte, and the number of the record.
    public let place: String

    /// What differs, in the first commit at which the reducer goes another way than what was
    /// recorded; nil in others.
    public let divergence: Divergence?
  }

  /// The commits since the oldest state that is kept, as the reducer makes them when they are asked
  /// for, compared with what was recorded.
  ///
  /// - Throws: nothing today, for all is read when the recording is opened.
  public func steps(reducer: @escaping Reducer<State>) throws -> some Sequence<Step> {
    sequence(state: Replay<State>(of: recorded, coding, reducer)) { replay -> Step? in
      let before = replay.state
      guard let step = replay.next() else { return nil }
      let commit = step.commit
      return Step(
        seconds: Double(commit.time) / 1e6,
        commit: Commit(
          number: commit.number, intent: commit.intent, cause: commit.cause, effects: step.effects,
          before: before, after: replay.state),
        place: recorded.place(of: step.record), divergence: step.divergence)
    }
  }

  /// The state after the commit of a number.
  ///
  /// - Throws: ``JournalError`` if the commit was not recorded by itself.
  public func state(at commit: Int, reducer: @escaping Reducer<State>) throws -> State {
    var replay = Replay<State>(of: recorded, coding, reducer)
    if commit == recorded.start { return replay.state }
    while let step = replay.next() {
      if step.commit.number == commit { return replay.state }
    }
    throw JournalError(
      "the recording",
      "commit \(commit) is not recorded by itself; recorded are those after \(recorded.start), up "
        + "to \(recorded.commit)")
  }

  /// Replays all with the reducer of today, and returns where it first differs from the states,
  /// digests and effects that were recorded; nil if nowhere.
  ///
  ///     #expect(try Recording(at: directory, format).verify(reducer: todos) == nil)
  ///
  /// States are compared by their `==` if they are `Equatable`, else part by part, each in the same
  /// way; where a commit has only a digest of its state, digests are. Between two of either it is not
  /// known which commit it was: ``Snapshots/every(_:)`` with 1 records a state with each. Behind the last one, as of a process
  /// that was killed, only effects that must happen are compared. An orderly end and
  /// ``Journal/export(to:redact:)`` record a state.
  ///
  /// - Throws: nothing today, for all is read when the recording is opened.
  public func verify(reducer: @escaping Reducer<State>) throws -> Divergence? {
    for step in Replay<State>(of: recorded, coding, reducer) {
      if let divergence = step.divergence { return divergence }
    }
    return nil
  }
}
