import Foundation
import Glue

/// A snapshot's bytes: which reducer's version wrote it, then what that version understands.
private struct Kept<State: Codable>: Codable {
  struct Version: Codable { let version: Int }

  var version: Int
  var log: String
  var state: State
  var table: Table
}

extension Replica {
  /// Keeps what this replica has reached, and lets go of the entries before the last snapshot.
  ///
  /// Those between the two stay for replicas that are a little behind.
  func keepSnapshot(of name: String) {
    let (replicated, log, version, margin) = (store.state, log, version, snapshotEvery)
    Task {
      let kept = Kept(
        version: version, log: name, state: replicated.state, table: replicated.table)
      guard let bytes = try? JSONEncoder().encode(kept) else { return }
      let position = replicated.position
      // If it fails, the next one will do: nothing is dropped before one is kept.
      try? await log.keep(
        Snapshot(position: position, bytes: Array(bytes)), trimmingBelow: position - margin + 1)
    }
  }

  /// Takes over the newest snapshot, if it is ahead.
  func restore(_ place: inout Place) async throws {
    guard let snapshot = try await log.snapshot(), snapshot.position > place.position else {
      return
    }
    let data = Data(snapshot.bytes)
    let decoder = JSONDecoder()
    let position = snapshot.position
    let other = try readable(position) { try decoder.decode(Kept<State>.Version.self, from: data) }
    try check(other.version, at: position)
    let kept = try readable(position) { try decoder.decode(Kept<State>.self, from: data) }
    try check(kept.log, &place)
    place.note(Entry.Seen(position: position, digest: kept.table.digest))
    store.dispatch(Restored(state: kept.state, table: kept.table))
    duties.follow(kept.table, me: sender.name)
    place.position = position
    let number = kept.table.senders[sender.name, default: 0]
    sender.answer { $0.restored(to: position, last: number) }
  }
}
