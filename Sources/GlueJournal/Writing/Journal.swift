internal import Dispatch
import Glue

/// The commits of a store, in files, such that the store goes on where it was, however its process
/// ended.
///
///     let journal = try Journal(at: directory, format)
///     let store = try Store(state: Todos(), reducer: todos, journal: journal)
///
/// - The journal holds the commits in their order, from the first state on; what is recovered is
///   exactly a prefix of them, and all that was durable (J1). Reducing writes nothing (J2): whoever
///   delivers writes, before the world is told of a commit (J3), and what was queued meanwhile is
///   one write (J4).
/// - A last write that was cut short is cut off; what is damaged otherwise fails the opening, and
///   nothing is changed (J5). A write that fails stops the program (J6).
/// - One store at a time uses a directory, in this process or any other (J11).
///
/// A journal may be used on any thread. It is closed by ``close()``, or with its store.
public final class Journal<State: Codable & Sendable>: Sendable {
  let format: JournalFormat<State>
  let directory: Directory
  let options: Options

  /// States are written here, one after the other.
  let background = DispatchQueue(label: "glue.journal", qos: .utility)
  private let phase: Guarded<Phase>

  /// What varies as the journal is opened, written and closed.
  private struct Phase: Sendable {
    /// What the directory is locked by; nil when the journal is closed.
    var lock: File?

    /// What a store goes on with, until one does.
    var found: Found<State>?
    var hasStore = false
    var writer: Writer<State>?

    /// Whether a write has failed, and the program is about to stop.
    var hasFailed = false
  }

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
  ///   - onFailure: is called before the program stops because a write has failed (J6).
  ///   - report: is told, a line each, of what was cut off, and of intents that cannot be recorded
  ///     (J7); standard error is, unless something is given.
  /// - Throws: ``JournalError``, and nothing is changed: if it is damaged, does not decode, is of a
  ///   newer version, or somebody else has it open.
  /// - Complexity: O(*n*) in what was written since the newest state, and its size.
  public convenience init(
    at path: String, _ format: JournalFormat<State>, durability: Durability = .synced,
    snapshots: Snapshots = .bySize, keeping: Int = 2, waiting time: Duration = .zero,
    onFailure: (@Sendable (JournalFailure) -> Void)? = nil,
    report: (@Sendable (String) -> Void)? = nil
  ) throws {
    let options = Options(
      durability: durability, snapshots: snapshots, keeping: max(keeping, 1),
      onFailure: onFailure, report: report ?? printReport)
    try self.init(Directory(at: path), format, options, waiting: time)
  }

  init(
    _ directory: Directory, _ format: JournalFormat<State>, _ options: Options,
    waiting time: Duration = .zero
  ) throws {
    self.directory = directory
    self.format = format
    self.options = options
    try directory.make()
    let lock = try directory.lock(waiting: time)
    let found = try directory.read(format)
    if let report = found?.report { options.report(report) }
    phase = Guarded(Phase(lock: lock, found: found))
  }

  /// Waits until all that the store has reduced so far is on the disk.
  ///
  /// It waits for those who deliver, as ``/Glue/Store/delivered()`` does. Without a store it returns
  /// at once.
  ///
  /// - Throws: ``JournalError`` after ``close()``, for nothing is recorded then.
  public func synced() async throws {
    let (store, isClosed) = phase.withLock { ($0.writer?.store, $0.lock == nil) }
    var isSynced = !isClosed
    if let store {
      isSynced = await withCheckedContinuation { continuation in
        let wait = WaitForSync(continuation)
        store.queueForJournal { _, _ in Item(.sync(wait), in: self) }
      }
      withExtendedLifetime(store) {}
    }
    if !isSynced {
      throw JournalError(
        directory.path, "the journal is closed; what was reduced since is not recorded")
    }
  }

  /// Writes what is queued, the state and a closing record, and frees the directory for others.
  ///
  /// Intents still reduce afterwards, and nothing of them is told to the world or recorded (J14).
  /// It waits for those who deliver, as ``/Glue/Store/delivered()`` does. Closing it again does
  /// nothing.
  ///
  /// - Throws: nothing today, for a write that fails stops the program (J6).
  public func close() async throws {
    if let store = phase.withLock({ $0.writer?.store }) {
      _ = await withCheckedContinuation { continuation in
        let wait = WaitForSync(continuation)
        store.mute { state, commit in
          [Item(.state(state, after: commit, isEnd: true), in: self), Item(.sync(wait), in: self)]
        }
      }
    }
    free()
  }

  /// Writes all that is recorded so far into one file, which ``Recording`` reads.
  ///
  /// - Parameters:
  ///   - path: the file, which is made for its owner alone or replaced.
  ///   - redact: what is changed in it.
  /// - Throws: ``JournalError`` if it cannot be read or written, or what stands for something does
  ///   not encode.
  /// - Complexity: O(*n*) in the size of the journal, in time and memory.
  public func export(to path: String, redact: JournalRedaction<State> = .init()) throws {
    try directory.export(to: path, redact, format)
  }

  /// Frees the directory.
  func free() {
    background.sync {}
    var writer: Writer<State>?  // It holds effects, whose deinit must not run under the lock.
    phase.withLock { phase in
      swap(&writer, &phase.writer)
      phase.found = nil
      phase.lock = nil
    }
  }
}

// MARK: - Writing

extension Journal {
  /// What was found, for the one store that may go on with it.
  ///
  /// - Throws: ``JournalError`` if the journal is closed, and the directory may be somebody else's.
  func take() throws -> Found<State>? {
    let (isFree, isClosed, found) = phase.withLock { phase in
      defer { (phase.hasStore, phase.found) = (true, nil) }
      return (!phase.hasStore, phase.lock == nil, phase.found)
    }
    if !isFree { stopForSecondStore(directory.path) }
    if isClosed { throw JournalError(directory.path, "the journal is closed: open it anew") }
    return found
  }

  func begin(_ writer: Writer<State>) { phase.withLock { $0.writer = writer } }

  /// Uses the writer, under the lock; a failure stops the program (J6), and whoever else would write
  /// waits for that.
  ///
  /// - Returns: nil if the journal is closed.
  @discardableResult
  func use<Result: Sendable>(_ body: (Writer<State>) throws -> Result) -> Result? {
    var failure: JournalFailure?
    let result = phase.withLock { phase -> Result? in
      guard let writer = phase.writer, !phase.hasFailed else { return nil }
      do { return try body(writer) } catch {
        phase.hasFailed = true
        failure = JournalFailure(
          path: directory.path, reason: reason(of: error),
          lastDurableCommit: writer.durableCommit)
        return nil
      }
    }
    if let failure {
      options.onFailure?(failure)
      stopForFailure(failure)
    }
    while result == nil, phase.withLock(\.hasFailed) { sleepBriefly() }
    return result
  }
}
