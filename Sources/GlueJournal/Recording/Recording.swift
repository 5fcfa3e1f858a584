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
/// being written.
public struct Recording<State: Codable & Sendable>: Sendable {
  let recorded: Recorded<State>
  let coding: Coding

  /// Reads a recording and decodes every record of it.
  ///
  /// A last record that is not whole, as of a journal that is being written or was cut off, is left
  /// out.
  ///
  /// - Parameters:
  ///   - path: the directory of a journal, or a file that an export has written.
  ///   - format: the names of what is recorded.
  /// - Throws: ``JournalError`` for what cannot be read or decoded, and where it is.
  /// - Complexity: O(*n*) in the size of the files, in time and memory.
  public init(at path: String, _ format: JournalFormat<State>) throws {
    try self.init(Directory(path: path, files: SystemFiles()), format)
  }

  init(_ directory: Directory, _ format: JournalFormat<State>) throws {
    do {
      recorded = try read(directory.recordingSources(), at: directory.path, format)
      coding = format.coding
    } catch let error as FileError { throw JournalError(error, in: directory.path) }
  }

  /// The commits in order, as the reducer makes them when they are asked for.
  ///
  /// - Parameter reducer: the reducer of the store.
  /// - Returns: a sequence that begins after the oldest state that is kept.
  /// - Throws: nothing today, for all is read when the recording is opened.
  public func steps(reducer: @escaping Reducer<State>) throws -> Steps {
    Steps(recording: self, reducer: reducer)
  }

  /// The state after a commit.
  ///
  /// - Parameters:
  ///   - commit: the number of the commit.
  ///   - reducer: the reducer of the store.
  /// - Returns: the state.
  /// - Throws: ``JournalError`` if the commit was not recorded by itself.
  public func state(at commit: Int, reducer: @escaping Reducer<State>) throws -> State {
    guard case .state(let first, let start) = recorded.events.first else {
      throw JournalError("", "no state begins the recording")
    }
    if commit == start { return first }
    for step in try steps(reducer: reducer) where step.commit.number == commit {
      return step.commit.after
    }
    throw JournalError(
      "the recording",
      "commit \(commit) is not recorded by itself; recorded are those after "
        + "\(start), up to \(recorded.commit)")
  }

  /// One commit of a recording.
  public struct Step: Sendable {
    /// When it was made, in seconds since 1970.
    public let seconds: Double

    /// What happened.
    public let commit: Commit<State>
  }

  /// The commits of a recording, replayed as they are asked for.
  public struct Steps: Sequence, Sendable {
    fileprivate let recording: Recording
    fileprivate let reducer: Reducer<State>

    /// Begins with the first commit.
    public func makeIterator() -> Iterator {
      Iterator(events: recording.recorded.events[...], reducer: reducer)
    }

    /// Replays one commit after the other.
    public struct Iterator: IteratorProtocol {
      fileprivate var events: ArraySlice<Event<State>>
      fileprivate let reducer: Reducer<State>
      private var state: State?

      fileprivate init(events: ArraySlice<Event<State>>, reducer: @escaping Reducer<State>) {
        self.events = events
        self.reducer = reducer
      }

      /// The next commit, nil if there are no more.
      public mutating func next() -> Step? {
        while let event = events.popFirst() {
          switch event {
          case .state(let recorded, _): state = state ?? recorded
          case .commit(let commit): if let step = step(commit) { return step }
          case .over, .boundary: break
          }
        }
        return nil
      }

      private mutating func step(_ commit: ReadCommit<State>) -> Step? {
        guard let before = state, var after = state.take() else { return nil }
        let effects = commit.intent.map { reducer(&after, $0) }
        if commit.intent == nil, let recorded = commit.state { after = recorded }
        state = after
        return Step(
          seconds: Double(commit.time) / 1e6,
          commit: Commit(
            number: commit.number, intent: commit.intent ?? commit.gap, cause: commit.cause,
            effects: effects ?? commit.effects.map(\.effect), before: before, after: after))
      }
    }
  }
}

/// Stands for intents that could not be recorded: the state after them was instead (J7).
public struct UnrecordedIntent: Intent, Hashable {
  /// The commits that it stands for.
  public let commits: ClosedRange<Int>
}

extension ReadCommit {
  var gap: UnrecordedIntent { UnrecordedIntent(commits: (firstLost ?? number)...number) }
}
