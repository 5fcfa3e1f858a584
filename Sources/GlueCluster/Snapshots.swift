import Foundation
import Glue
import GlueJournal

/// The first line of a snapshot's bytes; the state is the second.
struct Kept: Codable {
  /// The number of the format that this module writes and reads.
  static let format = 1

  var format = Kept.format
  var log: String
  var table: ReplicatedTable

  /// The digests before the snapshot's entry, backwards to the position that its sender had seen.
  var before: [UInt64]
}

/// A snapshot that this program has read.
struct ReadSnapshot<State> {
  let log: String
  let table: ReplicatedTable
  let before: [UInt64]
  let state: State
}

/// This replica's states, and versions, at the positions of other replicas' snapshots.
final class Comparisons<State: Sendable>: Sendable {
  typealias Compared = (state: State, version: Int)
  private let states = Locked<[LogPosition: Compared]>([:])

  /// Keeps the states of the last four positions.
  func add(_ compared: Compared, at position: LogPosition) {
    states.withLock { states in
      states[position] = compared
      if states.count > 4, let first = states.keys.min() { states[first] = nil }
    }
  }

  func removeAll() { states.withLock { $0 = [:] } }

  func take(_ position: LogPosition) -> Compared? {
    states.withLock { $0.removeValue(forKey: position) }
  }
}

/// Runs one job at a time, and then the newest of those that have come meanwhile.
final class NewestJob: Sendable {
  typealias Job = @Sendable () async -> Void
  private let jobs = Locked((isBusy: false, next: Job?.none))

  func run(on executor: (any TaskExecutor)?, _ job: @escaping Job) {
    let waits = jobs.withLock { jobs in
      if jobs.isBusy { jobs.next = job }
      defer { jobs.isBusy = true }
      return jobs.isBusy
    }
    if waits { return }
    Task(executorPreference: executor) { [self] in
      var job: Job? = job
      while let current = job {
        await current()
        job = jobs.withLock { jobs in
          defer { jobs.next = nil }
          jobs.isBusy = jobs.next != nil
          return jobs.next
        }
      }
    }
  }
}

extension Replica {
  /// Keeps a snapshot, and drops the entries before the previous one.
  ///
  /// The entries between the two stay for replicas that are a little behind. A replica that isn't
  /// the keeper waits for the keeper's digest.
  func keepSnapshot(of page: LogPage, after before: [UInt64], isKeeper: Bool) {
    let (state, table) = (store.state.state, store.state.table)
    let position = table.position
    guard isKeeper else { return comparisons.add((state, table.version), at: position) }
    let history = sender.history
    // Two at once would share a slow link, and slow each other down.
    snapshots.run(on: timing.executor) {
      do {
        let kept = try JSONEncoder().encode(Kept(log: page.log, table: table, before: before))
        let line = try program.format.line(of: state)
        // A snapshot that can't be read would stop every replica that begins with it.
        _ = try program.format.state(from: line[...])
        let bytes = Array(kept) + [newline] + line
        var place = Place()
        place.jump(to: table.seen, before: before)
        guard try await isUnchanged(place) else {
          throw LogError.cut("The log has lost the entry there.")
        }
        try await log.keep(
          LogSnapshot(position: position, bytes: bytes),
          trimmingBelow: position - snapshotEvery + 1, in: page.session)
        let digest = program.format.digest(of: state)
        _ = try? await sender.send(
          [], .kept(position, version: table.version, digest), in: history)
      } catch {
        // No entry is dropped until a later snapshot is kept.
        report(.snapshotFailed(position: position, "\(error)"))
      }
    }
  }

  /// Compares this replica's state and version with another one's snapshot.
  ///
  /// No state was kept here if the upgrade at that position left this replica behind.
  func compare(_ version: Int, _ digest: StateDigest?, at position: LogPosition) {
    let mine = comparisons.take(position)
    let here = mine?.version ?? min(version, store.state.table.version)
    let history = sender.history
    Task(executorPreference: timing.executor) {
      let path =
        here == version
        ? await difference(of: mine?.state, from: digest, at: position)
        : "version \(version) is in force there and \(here) here, because a migration threw"
      guard let path else { return }
      report(.differs(position: position, path: path))
      _ = try? await sender.send([], .differs, in: history)
    }
  }

  /// The paths in which a state differs from another replica's snapshot; nil if in none, or if a
  /// newer snapshot has replaced that one.
  ///
  /// Equal digests spare reading the snapshot. Other digests prove nothing, because the keeper's type
  /// may have other properties.
  func difference(
    of mine: State?, from digest: StateDigest?, at position: LogPosition
  ) async -> String? {
    guard let mine, let digest, program.format.digest(of: mine) != digest,
      let snapshot = try? await log.snapshot(), snapshot.position == position
    else { return nil }
    do { return try program.format.difference(of: mine, from: snapshot.lines.state) } catch {
      return "this program can't read it: \(error)"
    }
  }
}

/// The part of a snapshot's first line that every format has.
private struct SnapshotFormat: Decodable {
  let format: Int
}

extension Kept {
  /// Reads what a snapshot has beside the state.
  init(of snapshot: LogSnapshot) throws {
    let line = Data(snapshot.lines.kept)
    let format = try readable(snapshot.position) {
      try JSONDecoder().decode(SnapshotFormat.self, from: line).format
    }
    guard format == Kept.format else {
      throw SharedStoreError.unreadable(
        position: snapshot.position,
        "The snapshot has format \(format), but this module reads format \(Kept.format).")
    }
    self = try readable(snapshot.position) { try JSONDecoder().decode(Kept.self, from: line) }
  }
}

extension Program {
  /// Reads a snapshot whose version this program knows.
  func read(_ snapshot: LogSnapshot) throws -> ReadSnapshot<State> {
    let (position, kept) = (snapshot.position, try Kept(of: snapshot))
    try check(kept.table.version, at: position)
    do {
      let state = try format.state(from: snapshot.lines.state)
      return ReadSnapshot(log: kept.log, table: kept.table, before: kept.before, state: state)
    } catch {
      throw SharedStoreError.unreadable(
        position: position,
        "\(error). If the state's type has a new property, it must be optional or decoded with "
          + "decodeIfPresent: synthesized Codable ignores its default value.")
    }
  }
}

extension LogSnapshot {
  var lines: (kept: ArraySlice<UInt8>, state: ArraySlice<UInt8>) {
    let end = bytes.firstIndex(of: newline) ?? bytes.endIndex
    return (bytes[..<end], bytes[end...].dropFirst())
  }
}
