// A journal in one page. The article TheFormat.md has each member of each record.
//
// The directory (Directory.swift), when the last record has the number 4800:
//
//     0000000000000001.state   the state before record 1
//     0000000000000001.log     records 1 to 4711, a line each
//     0000000000004712.state   the state before record 4712, to which those before it lead
//     0000000000004712.log     records 4712 to 4800: the only file that grows
//     lock                     names the process that has the journal
//
// A line (Lines.swift) is a checksum and JSON:
//
//     6ed9e28e {"n":2,"d":1,"commit":1,"at":…,"intent":["todo",{"add":{"_0":"t0"}}]}
//
// Records (Records.swift) are counted by `n` without a gap. `d` is the last record that was known
// to be on the disk when this one was written. So a bad line that a later `d` covers is damage. One
// that none covers may be the end of a last write that was cut short.
//
//     log      begins each log           over     effects that have happened, or need not
//     state    is alone in its file      opened   a process continues after the machine restarted
//     commit   an intent and its cause   closed   the process ended in order
//
// The way of a commit to the disk:
//
//     under the store's lock   JournalCore.append (Appending.swift) adds the commit to the Queue.
//                              It encodes no more than a state for its digest, now and then (J2).
//     unlocked, the drainer    comes to the commit's entry in the outbox, and calls `writeNext`
//                              (Delivering.swift). This takes up to 1,000 items, whose own turns
//                              then find them written. Writer.write encodes, appends and syncs
//                              them, as the Durability says.
//     then, the drainer        makes the commit's deliveries, so none precedes its record (J3).
//     when the log is larger   `snapshot` begins the next log. In the background, `place` writes
//     than the state           the state before it, and removes files no longer needed (J8).
//
// Without the drainer, `writeAll` writes the queue on a thread of the journal's own: for a
// shutdown, a close and `synced()`. A write that fails stops the program, in JournalCore.use (J6).
//
// An opening, from `Journal.init` on:
//
//     lock (Directory.swift)            keeps other processes out (J11)
//     newestSources (Sources.swift)     takes the newest state and its logs
//     examine (Examining.swift)         distinguishes a torn end from damage
//     readRecords (RecordReader.swift)  decodes
//     mend (Opening.swift)              cuts off a torn end, which stays in a file beside (J5)
//
// Then the store's `init` calls `begun` (Store+Journal.swift). Replay reduces the commits again,
// compares the results with recorded digests, states and effects, and knows which effects are left
// over. The store begins with these, in a LogStart (J10).
//
// To change a record or add a kind, begin with Record.Content and `parts` in Records.swift. Read it
// in RecordReader.swift, and describe it in TheFormat.md. If a program that exists can't read the
// result, raise `formatNumber`. The names of types are in RecordedTypes.swift, effects that must
// happen in KeptEffects.swift, migrations in JournalFormat.swift, digests in DigestEncoder.swift,
// properties that a type no longer reads in UnreadProperties.swift, exports and their redaction in
// Export.swift, thresholds in Options.swift, and the only limit, on the depth of a state, in
// Digest.swift. The texts for users are at each throw of a JournalError, and in Reasons.swift for
// errors of coding. Recording.swift reads a journal without its lock, as GlueJournalTool does.

import Glue

/// Records a store's commits in files, so that the store continues where it was, however its
/// process ended.
///
///     let journal = try Journal(at: directory, format)
///     let store = try Store(state: Todos(), reducer: todos, journal: journal)
///
/// - The journal holds the commits in their order, from the first state on. Recovery gives exactly
///   a prefix of them, including all that were durable (J1).
/// - Reducing writes nothing (J2). The thread that drains the outbox writes each commit before the
///   store notifies anything (J3). Commits queued meanwhile share one write (J4).
/// - Opening cuts off a last write that was cut short. Other damage fails the opening, which then
///   changes nothing (J5). A write that fails stops the program (J6).
/// - One store at a time uses a directory, in this process or any other (J11).
///
/// You can use a journal on any thread. ``close()`` closes it, and so does the release of its
/// store.
public final class Journal<State: Codable & Sendable>: Sendable {
  let core: JournalCore

  /// Opens a journal, or creates one.
  ///
  /// - Parameters:
  ///   - path: a directory. The journal creates it if it is missing, but not its parents. Only the
  ///     owner can access new directories and files.
  ///   - disk: where the directory is. Only a simulation has a disk other than the system's.
  ///   - format: the types to record, and their names.
  ///   - durability: how safe a commit must be before the store notifies anything of it.
  ///   - snapshots: when to record states.
  ///   - keeping: how many states to keep, with the commits since the oldest of them; at least 1.
  ///   - time: how long to wait while another owner has the journal open.
  ///   - onDivergence: what to do if the reducer departs from the recording, or a recorded state has
  ///     a value that `State` doesn't read. Opening compares digests of states, recorded states, and
  ///     effects that must happen (J13), and the properties at every depth (J9).
  ///   - onFailure: the journal calls it before a failed write stops the program (J6).
  ///   - report: gets lines for your log. The journal reports a torn write that it cut off, a value
  ///     that it can't record or read (J7), and a reducer that departs from the recording. By
  ///     default these lines go to standard error.
  /// - Throws: ``JournalError`` if the journal is damaged, does not decode, has a newer version, or
  ///   is open elsewhere. It is then unchanged.
  /// - Complexity: O(*n*) in the size of the newest state and of the records since. Intents are
  ///   decoded on all processors.
  public convenience init(
    at path: String, on disk: Disk = .system, _ format: JournalFormat<State>,
    durability: Durability = .synced, snapshots: Snapshots = .bySize, keeping: Int = 2,
    waiting time: Duration = .zero, onDivergence: OnDivergence = .report,
    onFailure: (@Sendable (JournalFailure) -> Void)? = nil,
    report: (@Sendable (String) -> Void)? = nil
  ) throws {
    var options = Options(
      durability: durability, snapshots: snapshots, keeping: max(keeping, 1),
      onDivergence: onDivergence, onFailure: onFailure,
      report: report ?? { disk.files.report($0) })
    options.smallestLog = disk.files.chooseSmallestLog() ?? options.smallestLog
    let directory = try Directory(at: path, disk.files, isMade: true)
    try self.init(directory, format, options, waiting: time)
  }

  init(
    _ directory: Directory, _ format: JournalFormat<State>, _ options: Options,
    waiting time: Duration = .zero
  ) throws {
    core = try JournalCore(directory, format.coding, options, waiting: time)
  }

  /// Waits until everything that the store has reduced so far is on the disk.
  ///
  /// It waits for no delivery. Without a store it returns at once.
  ///
  /// - Throws: ``JournalError`` after ``close()``, because the journal then records nothing.
  public func synced() async throws { try await core.synced() }

  /// Writes the queued commits, the state and a closing record, and frees the directory for others.
  ///
  /// Later intents still reduce, but the store records nothing and notifies nothing of them (J14).
  /// Closing waits for deliveries as ``/Glue/Store/shutdown()`` does, so it doesn't wait for a loop
  /// that has ended. Effects that must happen and whose handlers haven't returned at the call are left
  /// to the next process. A second call waits for the first.
  ///
  /// - Throws: nothing today, because a write that fails stops the program (J6).
  public func close() async throws { await core.close() }

  /// Writes all records so far into one file, which ``Recording`` reads.
  ///
  /// The export adds the newest state to its commit, so that
  /// ``Recording/verify(reducer:)-(Reducer<State>)`` covers all commits up to it. It leaves the
  /// state out if the commit is not written yet, or if you redact other values but not states.
  /// Calling it from a reducer stops the program.
  ///
  /// - Parameters:
  ///   - path: the file to create or replace. Only its owner can access it.
  ///   - redact: the changes to make in it.
  /// - Throws: ``JournalError`` if a file can't be read or written, or a redacted value does not
  ///   encode.
  /// - Complexity: O(*n*) in the size of the journal, in time and memory.
  public func export(to path: String, redact: JournalRedaction<State> = .init()) throws {
    let newest = redact.coversStates ? core.newest : nil
    try core.directory.export(to: path, redact, core.coding, newest: newest)
  }
}
