import Glue
import GlueLogging

/// The commits of a store, in files, such that the store goes on where it was, however its process
/// ended.
///
///     let journal = try Journal(at: directory, format)
///     let store = try Store(state: Todos(), reducer: todos, journal: journal)
///
/// - The journal holds the commits in their order, from the first state on; recovery gives exactly a
///   prefix of them, with all that was durable (J1). Reducing writes nothing (J2): the thread that
///   drains the outbox writes, before anything hears of a commit (J3), and commits that were queued
///   meanwhile share one write (J4).
/// - A last write that was cut short is cut off; other damage fails the opening, which then changes
///   nothing (J5). A write that fails stops the program (J6).
/// - One store at a time uses a directory, in this process or any other (J11).
///
/// A journal may be used on any thread. It is closed by ``close()``, or with its store.
public final class Journal<State: Codable & Sendable>: Sendable {
  let core: JournalCore

  /// Opens a journal, or makes one.
  ///
  /// - Parameters:
  ///   - path: a directory, which is made if it is not there, unlike those that it is in. What is
  ///     made is for its owner alone.
  ///   - format: the names of what is recorded.
  ///   - durability: when a commit is safe enough for the world to be told of it.
  ///   - snapshots: when states are recorded.
  ///   - keeping: how many states are kept, with the commits since the oldest of them; at least 1.
  ///   - time: how long to wait if somebody else has it open.
  ///   - onDivergence: what to do if the reducer goes another way than what was recorded, by the
  ///     digests of states, recorded states, and effects that must happen (J13).
  ///   - onFailure: is called before the program stops because a write has failed (J6).
  ///   - report: gets a line for your log where something was cut off or can't be recorded or read
  ///     (J7), and where the reducer goes another way than what was recorded. By default these lines
  ///     go to standard error.
  /// - Throws: ``JournalError``, and nothing is changed: if it is damaged, does not decode, is of a
  ///   newer version, or somebody else has it open.
  /// - Complexity: O(*n*) in what was written since the newest state, and its size; intents are
  ///   decoded on all processors.
  public convenience init(
    at path: String, _ format: JournalFormat<State>, durability: Durability = .synced,
    snapshots: Snapshots = .bySize, keeping: Int = 2, waiting time: Duration = .zero,
    onDivergence: OnDivergence = .report,
    onFailure: (@Sendable (JournalFailure) -> Void)? = nil,
    report: (@Sendable (String) -> Void)? = nil
  ) throws {
    let options = Options(
      durability: durability, snapshots: snapshots, keeping: max(keeping, 1),
      onDivergence: onDivergence, onFailure: onFailure,
      report: report ?? { writeToStandardError("Glue: \($0)") })
    let directory = try Directory(at: path, isMade: true)
    try self.init(directory, format, options, waiting: time)
  }

  init(
    _ directory: Directory, _ format: JournalFormat<State>, _ options: Options,
    waiting time: Duration = .zero
  ) throws {
    core = try JournalCore(directory, format.coding, options, waiting: time)
  }

  /// Waits until all that the store has reduced so far is on the disk.
  ///
  /// It waits for those who deliver, as ``/Glue/Store/delivered()`` does. Without a store it returns
  /// at once.
  ///
  /// - Throws: ``JournalError`` after ``close()``, for nothing is recorded then.
  public func synced() async throws { try await core.synced() }

  /// Writes what is queued, the state and a closing record, and frees the directory for others.
  ///
  /// Intents still reduce afterwards, and nothing of them is told to the world or recorded (J14).
  /// It waits for those who deliver, as ``/Glue/Store/delivered()`` does. Closing it again does
  /// nothing.
  ///
  /// - Throws: nothing today, for a write that fails stops the program (J6).
  public func close() async throws { await core.close() }

  /// Writes all that is recorded so far into one file, which ``Recording`` reads.
  ///
  /// The newest state is recorded with its commit, so that
  /// ``Recording/verify(reducer:)-(Reducer<State>)`` knows of all up to it, unless that is still on
  /// its way to the files, or the states are not redacted where something else is. Not to be called
  /// while reducing.
  ///
  /// - Parameters:
  ///   - path: the file, which is made for its owner alone or replaced.
  ///   - redact: what is changed in it.
  /// - Throws: ``JournalError`` if it cannot be read or written, or what stands for something does
  ///   not encode.
  /// - Complexity: O(*n*) in the size of the journal, in time and memory.
  public func export(to path: String, redact: JournalRedaction<State> = .init()) throws {
    let newest = redact.coversStates ? core.newest : nil
    try core.directory.export(to: path, redact, core.coding, newest: newest)
  }
}
