import Foundation
import Glue
import GlueJournal

/// The first line of a snapshot's bytes; the state is the second.
private struct Kept: Codable {
  var log: String
  var table: Table
}

/// This replica's digests at the positions of other replicas' snapshots.
final class Comparisons: Sendable {
  private let digests = Guarded<[Position: Task<StateDigest?, Never>]>([:])

  /// Keeps the digests of the last four positions.
  func add(_ digest: Task<StateDigest?, Never>, at position: Position) {
    digests.withLock { digests in
      digests[position] = digest
      if digests.count > 4, let first = digests.keys.min() { digests[first] = nil }
    }
  }

  func take(_ position: Position) -> Task<StateDigest?, Never>? {
    digests.withLock { $0.removeValue(forKey: position) }
  }
}

extension Replica {
  /// Computes this state's digest.
  ///
  /// The keeper also keeps a snapshot, and drops the entries before the previous one.
  ///
  /// The entries between the two stay for replicas that are a little behind.
  func keepSnapshot(of log: String, isKeeper: Bool) {
    let (state, table) = (store.state.state, store.state.table)
    let digest = Task { [format = program.format] in format.digest(of: state) }
    guard isKeeper else { return comparisons.add(digest, at: table.position) }
    Task {
      do {
        let kept = try JSONEncoder().encode(Kept(log: log, table: table))
        let bytes = Array(kept) + [newline] + (try program.format.line(of: state))
        let position = table.position
        try await self.log.keep(
          Snapshot(position: position, bytes: bytes), trimmingBelow: position - snapshotEvery + 1)
        let act = Entry.Act.kept(position, version: table.version, await digest.value)
        _ = try? await sender.send([], act)
      } catch {
        // No entry is dropped until a later snapshot is kept.
        report(.snapshotFailed(position: table.position, "\(error)"))
      }
    }
  }

  /// Compares this replica's state with another one's snapshot (U10).
  func compare(_ digest: StateDigest, at position: Position) {
    guard let mine = comparisons.take(position) else { return }
    Task {
      guard let path = await mine.value?.difference(from: digest) else { return }
      report(.differs(position: position, path: path))
      _ = try? await sender.send([], .differs)
    }
  }

  /// Restores the newest snapshot, if it is ahead.
  func restore(_ place: inout Place) async throws {
    guard let snapshot = try await log.snapshot(), snapshot.position > place.position else {
      return
    }
    let position = snapshot.position
    let lines = snapshot.bytes.split(separator: newline, maxSplits: 1)
    let kept = try readable(position) {
      try JSONDecoder().decode(Kept.self, from: Data(lines.first ?? []))
    }
    try check(kept.table.version, at: position)
    let state = try readable(position) {
      try program.format.state(from: lines.dropFirst().first ?? [])
    }
    try place.check(log: kept.log)
    place.note(kept.table.seen)
    store.dispatch(Restored(state: state, table: kept.table))
    duties.follow(kept.table)
    place.position = position
    sender.answer { $0.restored(kept.table) }
  }
}
