public import Glue

/// A journal's records, to be replayed for an audit, or as a bug report that is a test.
///
///     let recording = try Recording(at: directory, format)
///     for step in try recording.steps(reducer: todos) {
///       print(step.commit.number, step.commit.intent)
///     }
///     #expect(try recording.verify(reducer: todos) == nil)
///
/// It runs reducers and nothing else, and changes nothing. It needs no lock, so it can read a
/// journal that a program is writing. Its reducers take any intent: `reduce(todos)`
/// makes one of a typed `todos`.
public struct Recording<State: Codable & Sendable>: Sendable {
  let recorded: Recorded
  let coding: Coding

  /// Reads a recording and decodes every record of it.
  ///
  /// The path leads to a journal's directory, or to an exported file. An incomplete last record is
  /// left out, because a program may be writing it, or a write was cut short.
  ///
  /// - Throws: ``JournalError`` if a record can't be read or decoded. It names the place.
  /// - Complexity: O(*n*) in the size of the files, in time and memory.
  public init(at path: String, _ format: JournalFormat<State>) throws {
    try self.init(at: path, systemFiles, format)
  }

  init(at path: String, _ files: any SystemFiles, _ format: JournalFormat<State>) throws {
    coding = format.coding
    recorded = try readRecords(
      examine(recordingSources(at: path, files), boot: files.boot), coding)
  }

  /// One commit of a recording.
  public struct Step: Sendable {
    /// The time of the commit, in seconds since 1970.
    public let seconds: Double

    /// The commit, with the states before and after it.
    public let commit: Commit<State>

    /// The place of its record, in one line: the path of the file, the byte, and the record's
    /// number.
    public let place: String

    /// The differences, in the first commit where the reducer departs from the recording; nil in
    /// others.
    public let divergence: Divergence?
  }

  /// Replays the commits since the oldest kept state, one each time you ask for the next step, and
  /// compares them with the records.
  ///
  /// - Throws: nothing today, because opening the recording reads everything.
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

  /// Returns the state after the commit with a number.
  ///
  /// - Throws: ``JournalError`` if the commit has no record of its own.
  public func state(at commit: Int, reducer: @escaping Reducer<State>) throws -> State {
    var replay = Replay<State>(of: recorded, coding, reducer)
    if commit == recorded.start { return replay.state }
    while let step = replay.next() {
      if step.commit.number == commit { return replay.state }
    }
    throw JournalError(
      "the recording",
      "commit \(commit) has no record of its own; the recording holds those after "
        + "\(recorded.start), up to \(recorded.commit)")
  }

  /// Replays all commits with the current reducer, and returns the first difference from the
  /// recorded states, digests and effects; nil if there is none.
  ///
  ///     #expect(try Recording(at: directory, format).verify(reducer: todos) == nil)
  ///
  /// It compares `Equatable` states by `==`, and others part by part, each in the same way. If a
  /// commit has only a digest of its state, it compares digests. A difference can arise at any
  /// commit since the last recorded state or digest. To find the commit, record a state with each:
  /// ``Snapshots/every(_:)`` with 1.
  ///
  /// Behind the last state or digest it compares only effects that must happen; a killed process
  /// leaves such commits. An orderly end and ``Journal/export(to:redact:)`` record a state.
  ///
  /// Effects whose types the format doesn't name are not recorded, so they can't be compared. If the
  /// reducer returns some, a line on standard error names their types. To say that a type need not
  /// be compared, name it in the format by `.atMostOnce`.
  ///
  /// - Throws: ``JournalError`` if the recording has no commits, so that there is nothing to verify.
  public func verify(reducer: @escaping Reducer<State>) throws -> Divergence? {
    try verify(reducer: reducer) { writeToStandardError("Glue: \($0)") }
  }

  func verify(
    reducer: @escaping Reducer<State>, report: (String) -> Void
  ) throws -> Divergence? {
    if recorded.commit == recorded.start {
      throw JournalError(
        "the recording",
        "it has no commits after commit \(recorded.start), so verify checks nothing")
    }
    var types: Set<String> = []
    for step in Replay<State>(of: recorded, coding, reducer) {
      if let divergence = step.divergence { return divergence }
      types.formUnion(coding.unnamedTypes(of: step.effects).map { "\($0)" })
    }
    if !types.isEmpty {
      report(
        "verify has compared no effects of \(types.sorted().joined(separator: ", ")), which the "
          + "format does not name: add them to its effects:")
    }
    return nil
  }
}
