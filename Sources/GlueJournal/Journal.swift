internal import Dispatch
import Glue
internal import Synchronization

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

  let phase: Mutex<Phase>
  let background = DispatchQueue(label: "glue.journal", qos: .utility)

  /// What varies as the journal is opened, written and closed.
  enum Phase: Sendable {
    case opened(Found<State>?, DirectoryLock)
    case writing(Writing<State>)

    /// A write has failed, and the program is about to stop.
    case failed
    case closed
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
    try self.init(Directory(path: path, files: SystemFiles()), format, options, waiting: time)
  }

  init(
    _ directory: Directory, _ format: JournalFormat<State>, _ options: Options,
    waiting time: Duration = .zero
  ) throws {
    self.directory = directory
    self.format = format
    self.options = options
    do {
      try directory.make()
      let lock = try DirectoryLock(of: directory, waiting: time)
      let found = try directory.open(format)
      if let report = found?.report { options.report(report) }
      phase = Mutex(.opened(found, lock))
    } catch let error as FileError { throw JournalError(error, in: directory.path) }
  }

  /// Waits until all that the store has reduced so far is on the disk.
  ///
  /// It waits for those who deliver, as ``/Glue/Store/delivered()`` does. Without a store, or
  /// after ``close()``, it returns at once.
  public func synced() async {
    await withCheckedContinuation { continuation in
      let wait = WaitForSync(continuation)
      access?.queue { _, _ in Item(.sync(wait), in: self) }
    }
  }

  /// Writes what is queued, the state and a closing record, and frees the directory for others.
  ///
  /// Intents still reduce afterwards, and nothing of them is told to the world or recorded (J14).
  /// It waits for those who deliver, as ``/Glue/Store/delivered()`` does.
  public func close() async {
    guard let access else { return phase.withLock { $0 = .closed } }
    await withCheckedContinuation { continuation in
      let wait = WaitForSync(continuation)
      access.mute { state, commit in
        [Item(.state(state, after: commit, .end), in: self), Item(.sync(wait), in: self)]
      }
    }
    end()
  }

  var access: StoreAccess<State>? {
    phase.withLock { phase in
      if case .writing(let writing) = phase { writing.store } else { nil }
    }
  }

  /// Frees the directory.
  func end() {
    background.sync {}
    phase.withLock { if case .failed = $0 {} else { $0 = .closed } }
  }
}

extension Directory {
  /// Makes the directory, if it is not there, such that its name is on the disk.
  func make() throws(FileError) {
    do throws(FileError) {
      try files.makeDirectory(path)
      try files.syncNames(in: path + "/..")
    } catch { if !error.isPresent { throw error } }
  }
}
