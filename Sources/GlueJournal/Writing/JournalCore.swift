import Glue

/// A journal, independent of the type of its state.
final class JournalCore: Sendable {
  let directory: Directory
  let coding: Coding
  let options: Options

  /// Writes states, one after the other.
  let background: any WorkQueue

  /// Syncs the log, for waiting callers and for ``Durability/interval(_:)``, and writes the queue
  /// for calls that don't wait for the drainer.
  let syncs: any WorkQueue
  let queue: Locked<Queue>

  /// Its lock is never held while files are used, because tasks take it.
  let phase: Locked<Phase>

  /// Its lock is held while files are written.
  private let writer = Locked<Writer?>(nil)
  private let reported = Locked<Set<String>>([])

  struct Phase: Sendable {
    /// The files that lock the directory; nil when the journal is closed.
    var lock: [File]?

    /// The content for a store to continue with, until one takes it.
    var found: Found?
    var hadStore = false

    /// While a store is being made: the calls that wait for its beginning.
    var beginning: [WaitForSync]?
    weak var store: (any LoggedStore)?

    /// Whether a store writes, or is being released and writes the end.
    var isWriting = false
    var waiting: [WaitForSync] = []
  }

  init(
    _ directory: Directory, _ coding: Coding, _ options: Options, waiting time: Duration
  ) throws {
    self.directory = directory
    self.coding = coding
    self.options = options
    background = directory.files.makeQueue("glue.journal", isUrgent: false)
    syncs = directory.files.makeQueue("glue.journal.sync", isUrgent: true)
    queue = Locked(Queue(options))
    let lock = try directory.lock(waiting: time)
    let found = try directory.read(coding) { unread in
      if options.onDivergence == .refuse { throw unread }
      options.report(
        "\(unread). Copies of the files stay beside it until you remove them: *\(keptEnding)")
    }
    // The process that made the directory may have ended before it synced the name.
    if found == nil { try directory.syncName() }
    if let found, found.tornCount > 0 {
      options.report(
        "\(found.log.path): the last \(found.tornCount) bytes were cut off and kept in a file beside "
          + "it, because a process ended while it wrote them, or they were damaged since")
    }
    phase = Locked(Phase(lock: lock, found: found))
  }

  func report(_ subject: String, _ text: String) {
    if !reported.withLock({ $0.insert(subject).inserted }) { return }
    options.report("\(directory.path): \(subject) \(text)")
  }

  var isNew: Bool { phase.withLock { $0.found == nil } }

  /// Hands the found content to the one store that may continue it.
  ///
  /// - Throws: ``JournalError`` if the journal is closed, because the directory may have another
  ///   owner.
  func take() throws -> Found? {
    let (isFree, isClosed, found) = phase.withLock { phase in
      defer { (phase.hadStore, phase.found) = (true, nil) }
      if phase.lock != nil && !phase.hadStore { phase.beginning = [] }
      return (!phase.hadStore, phase.lock == nil, phase.found)
    }
    if isClosed { throw JournalError(directory.path, "the journal is closed; open another") }
    if !isFree { stopForSecondStore(directory.path) }
    return found
  }

  /// The start of a store that is recorded from its first commit on.
  ///
  /// Nothing is written before the store has begun. So its first intents, with what they cancel of
  /// the effects left by an earlier process, are all in the queue when the first of them is written.
  func start(_ writer: Writer) -> LogStart {
    queue.withLock { queue in
      queue.snapshotInterval = writer.snapshotInterval
      queue.digests.stateSize = writer.stateSize
    }
    let unfinished = writer.unfinished.map { kept in
      UnfinishedEffect(
        effect: kept.effect, cause: .effect(kept.key.index, ofCommit: kept.key.commit),
        emitted: .microseconds(kept.time))
    }
    return LogStart(self, after: writer.commit, unfinished: unfinished) { store in
      self.writer.withLock { $0 = writer }
      self.phase.withLock { ($0.store, $0.isWriting) = (store, true) }
      self.endBeginning()
    }
  }

  private func endBeginning() {
    let waiting = phase.withLock { $0.beginning.take() }
    for wait in waiting ?? [] { wait.end(isSynced: true) }
  }

  /// Waits until a store that is being made has begun, so that there is no instant between a journal
  /// with a store and one without.
  private func awaitBeginning() async {
    _ = await withCheckedContinuation { continuation in
      let wait = WaitForSync { continuation.resume(returning: $0) }
      let isBeginning = phase.withLock { phase in
        phase.beginning?.append(wait)
        return phase.beginning != nil
      }
      if !isBeginning { wait.end(isSynced: true) }
    }
  }

  var newest: (state: AnyState, commit: Int)? { phase.withLock { $0.store }?.newest }

  func synced() async throws {
    await awaitBeginning()
    let isSynced = await withCheckedContinuation { continuation in
      let wait = WaitForSync { continuation.resume(returning: $0) }
      let store = phase.withLock { $0.store }
      // The end that the store's release writes must come after the added item.
      withExtendedLifetime(store) {
        if store != nil { add(.wait(wait)) } else { awaitEnd(by: wait) }
      }
    }
    if !isSynced {
      throw JournalError(
        directory.path, "the journal is closed; commits made since are not recorded")
    }
  }

  func close() async {
    await awaitBeginning()
    let last = await phase.withLock { $0.store }?.mute()
    _ = await withCheckedContinuation { continuation in
      let wait = WaitForSync { continuation.resume(returning: $0) }
      if let last {
        add(.end(last.state, after: last.commit, closes: true, wait))
      } else {
        awaitEnd(by: wait)
      }
    }
    free()
  }

  private func add(_ item: Item) {
    queue.withLock { $0.append(item) }
    writeAll()
  }

  /// Lets a call wait for the end that a released store, or an earlier `close()`, writes.
  private func awaitEnd(by wait: WaitForSync) {
    let isOpen = phase.withLock { phase -> Bool? in
      if !phase.isWriting { return phase.lock != nil }
      phase.waiting.append(wait)
      return nil
    }
    if let isOpen { wait.end(isSynced: isOpen) }
  }

  func free() {
    // The writer holds effects, whose deinit must not run under the lock.
    var old: Writer?
    writer.withLock { swap(&old, &$0) }
    let waiting = phase.withLock { phase in
      defer { (phase.lock, phase.found, phase.isWriting, phase.waiting) = (nil, nil, false, []) }
      return phase.waiting
    }
    for wait in waiting { wait.end(isSynced: true) }
    endBeginning()
  }

  /// Uses the writer, under the lock.
  ///
  /// A failure stops the program (J6), and other threads' writes block until then.
  ///
  /// - Returns: nil if the journal is closed.
  @discardableResult
  func use<Result: Sendable>(_ body: (Writer) throws -> Result) -> Result? {
    var failure: JournalFailure?
    let (result, hasFailed, leftover) = writer.withLock {
      writer -> (Result?, Bool, (released: [KeptEffect?], reports: [Notice])?) in
      guard let writer, !writer.hasFailed else { return (nil, writer != nil, nil) }
      do { return (try body(writer), false, writer.takeLeftover()) } catch {
        writer.hasFailed = true
        let ofFile = error as? JournalError
        failure = JournalFailure(
          path: ofFile?.path ?? directory.path, reason: ofFile?.reason ?? reason(of: error),
          cure: ofFile?.cure ?? "Change the program so that everything it records encodes",
          isOfFile: ofFile != nil,
          lastDurableCommit: writer.durableCommit)
        return (nil, true, nil)
      }
    }
    if let failure {
      options.onFailure?(failure)
      stopForFailure(failure, directory.files)
    }
    while hasFailed { directory.files.sleepBriefly() }
    for (subject, text) in leftover?.reports ?? [] { report(subject, text) }
    return result
  }
}

private func stopForFailure(_ failure: JournalFailure, _ files: any SystemFiles) -> Never {
  let text = """
    Glue: the journal cannot be written: \(failure). The program stops, because no handler or \
    subscriber may get a commit before its record is as safe as the journal's durability says. \
    \(failure.cure), and start the program again.
    """
  if failure.isOfFile { files.stop(text) }
  fatalError(text)
}

private func stopForSecondStore(_ path: String) -> Never {
  fatalError(
    """
    Glue: the journal \(path) was given to a second store. It records the commits of one.
      Wrong: let a = try Store(…, journal: journal); let b = try Store(…, journal: journal)
      Right: a Journal, with a directory of its own, for each store
    """)
}
