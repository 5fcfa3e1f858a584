internal import Dispatch
import Glue

/// A journal, whatever the type of its state.
final class JournalCore: Sendable {
  let directory: Directory
  let coding: Coding
  let options: Options

  /// States are written here, one after the other.
  let background = DispatchQueue(label: "glue.journal", qos: .utility)

  /// The log is synced here, for those who wait for it, and for ``Durability/interval(_:)``.
  let syncs = DispatchQueue(label: "glue.journal.sync")

  /// Not held while files are used: tasks wait for it.
  private let phase: Guarded<Phase>

  /// The subjects of which something was reported.
  private let reported = Guarded<Set<String>>([])

  /// Held while files are written; it guards whether a write has failed, and the program is about to
  /// stop.
  private let writing = Guarded(false)

  /// When a commit brings the state after it along.
  let pace = SnapshotPace()

  /// When a commit gets a digest of the state after it.
  let digests: DigestPace

  /// What varies as the journal is opened, written and closed.
  private struct Phase: Sendable {
    /// What the directory is locked by; nil when the journal is closed.
    var lock: [File]?

    /// What a store goes on with, until one does.
    var found: Found?
    var hasStore = false
    var writer: Writer?
    weak var store: (any RecordedStore)?

    /// Those who wait for the end of a store that is just going.
    var waiting: [WaitForSync] = []
  }

  init(
    _ directory: Directory, _ coding: Coding, _ options: Options, waiting time: Duration
  ) throws {
    self.directory = directory
    self.coding = coding
    self.options = options
    digests = DigestPace(options)
    let lock = try directory.lock(waiting: time)
    let found = try directory.read(coding)
    // Whichever process has made the directory may have ended before it could.
    if found == nil { try directory.syncName() }
    if let report = found?.report { options.report(report) }
    phase = Guarded(Phase(lock: lock, found: found))
  }

  /// Reports something, once for each subject.
  func report(_ subject: String, _ text: String) {
    if !reported.withLock({ $0.insert(subject).inserted }) { return }
    options.report("\(directory.path): \(subject) \(text)")
  }

  // MARK: - Its store

  /// Whether there is nothing that a store goes on with.
  var isNew: Bool { phase.withLock { $0.found == nil } }

  /// What was found, for the one store that may go on with it.
  ///
  /// - Throws: ``JournalError`` if the journal is closed, and the directory may be somebody else's.
  func take() throws -> Found? {
    let (isFree, isClosed, found) = phase.withLock { phase in
      defer { (phase.hasStore, phase.found) = (true, nil) }
      return (!phase.hasStore, phase.lock == nil, phase.found)
    }
    if isClosed { throw JournalError(directory.path, "the journal is closed: open it anew") }
    if !isFree { stopForSecondStore(directory.path) }
    return found
  }

  func begin(_ writer: Writer, for store: any RecordedStore) {
    pace.set(commitsPerLog: writer.commitsPerLog(options.smallestLog))
    phase.withLock { phase in
      phase.writer = writer
      phase.store = store
    }
  }

  var store: (any RecordedStore)? { phase.withLock { $0.store } }

  /// The state of its store, and the last commit; nil where there is none.
  var newest: (state: AnyState, commit: Int)? {
    guard let (state, commit, _) = store?.newest else { return nil }
    return (state, commit)
  }

  func synced() async throws {
    let isSynced = await wait { store, wait in
      store.queue { _, _ in Item(.sync(wait), in: self) }
    }
    if !isSynced {
      throw JournalError(
        directory.path, "the journal is closed; what was reduced since is not recorded")
    }
  }

  func close() async {
    _ = await wait { store, wait in
      store.endRecording { state, commit in
        [Item(.end(state, after: commit, isLast: true), in: self), Item(.sync(wait), in: self)]
      }
    }
    free()
  }

  /// Has somebody wait for something that the store is given to be written; where it is just going,
  /// for its end.
  ///
  /// - Returns: false if the journal is closed.
  private func wait(_ queue: (any RecordedStore, WaitForSync) -> Void) async -> Bool {
    await withCheckedContinuation { continuation in
      let wait = WaitForSync(continuation)
      let (store, isAwaited, isClosed) = phase.withLock { phase in
        let store = phase.store
        let isGoing = phase.writer != nil && store == nil
        if isGoing { phase.waiting.append(wait) }
        return (store, isGoing || store != nil, phase.lock == nil)
      }
      if let store { queue(store, wait) }
      if !isAwaited { wait.end(isSynced: !isClosed) }
    }
  }

  /// Frees the directory, when all is written.
  func free() {
    var writer: Writer?  // It holds effects, whose deinit must not run under the lock.
    var waiting: [WaitForSync] = []
    phase.withLock { phase in
      swap(&writer, &phase.writer)
      swap(&waiting, &phase.waiting)
      phase.found = nil
      phase.lock = nil
    }
    for wait in waiting { wait.end(isSynced: true) }
  }

  // MARK: - Writing

  /// Uses the writer, under the lock; a failure stops the program (J6), and whoever else would write
  /// waits for that.
  ///
  /// - Returns: nil if the journal is closed.
  @discardableResult
  func use<Result: Sendable>(_ body: (Writer) throws -> Result) -> Result? {
    guard let writer = phase.withLock({ $0.writer }) else { return nil }
    var failure: JournalFailure?
    let (result, hasFailed) = writing.withLock { hasFailed -> (Result?, Bool) in
      if hasFailed { return (nil, true) }
      do { return (try body(writer), false) } catch {
        hasFailed = true
        failure = JournalFailure(
          path: directory.path, reason: reason(of: error), isOfDisk: error is JournalError,
          lastDurableCommit: writer.durableCommit)
        return (nil, true)
      }
    }
    if let failure {
      options.onFailure?(failure)
      stopForFailure(failure)
    }
    while hasFailed { sleepBriefly() }
    return result
  }
}

/// What a journal asks of its store.
protocol RecordedStore: AnyObject, Sendable {
  /// The state, the number of the last commit, and what is queued to be written.
  var newest: (state: AnyState, commit: Int, queued: [any Written]) { get }

  /// Queues something to be written, made of the state and the number of the last commit.
  func queue(_ make: (AnyState, Int) -> any Written)

  /// Has nothing told to the world any more that is behind this.
  func endRecording(_ make: (AnyState, Int) -> [any Written])
}

extension Store: RecordedStore where State: Codable {
  var newest: (state: AnyState, commit: Int, queued: [any Written]) { newestForJournal() }
  func queue(_ make: (AnyState, Int) -> any Written) { queueForJournal { make($0, $1) } }
  func endRecording(_ make: (AnyState, Int) -> [any Written]) { mute { make($0, $1) } }
}
