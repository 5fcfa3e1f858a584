import Glue
package import GlueJournal

extension SharedStore {
  /// Moves all replicas to a version that every one of them knows.
  ///
  ///     try await shared.upgrade(to: 2)                      // notReady(["eu-3"])
  ///     try await shared.upgrade(to: 2, without: ["eu-3"])   // it stops when it comes back
  ///
  /// Start the new program on one machine after another, then call this from one of them, as the
  /// last line of a deploy script. Until then the new programs reduce like the old one, and write
  /// only what it can read. If the log is already at the version, this does nothing.
  ///
  /// To go back before the upgrade, start the old program. After it, move to a further version or
  /// use a backup.
  ///
  /// - Parameters:
  ///   - version: the version to reach. Versions between are reached one by one.
  ///   - labels: labels of replicas that need not know it. They stop and lose nothing, but their
  ///     entries in flight have an unknown outcome.
  /// - Throws: why the log stays at the version that it has reached. The replicas continue with
  ///   that one.
  public func upgrade(
    to version: Int, without labels: [String] = []
  ) async throws(UpgradeError) {
    do { try await catchUp() } catch { throw .log(error) }
    while store.state.table.version < version {
      try await takeStep(to: store.state.table.version + 1, without: labels)
    }
  }

  private func takeStep(
    to next: Int, without labels: [String]
  ) async throws(UpgradeError) {
    guard let version = replica.program.versions[next] else { throw .unknownVersion(next) }
    for _ in 1...2 {
      try refuse(next, without: labels)
      let before = store.state
      do { _ = try replica.program.migrated(before.state, before.table, by: version) } catch {
        throw .migration("\(error)")
      }
      // A live replica that found itself missing from the table has announced itself meanwhile.
      do { try await catchUp() } catch { throw .log(error) }
      try refuse(next, without: labels)
      do {
        _ = try await replica.sender.send([], .upgrade(to: next, without: labels))
      } catch { throw .log(error) }
      if store.state.table.version >= next { return }
      // The first entry of a crashed start may have come just before it; the next entry has seen that.
    }
    try refuse(next, without: labels)
    throw .migration(
      "It threw at the upgrade's position. If it threw on this replica alone, differs is reported.")
  }

  private func refuse(_ next: Int, without labels: [String]) throws(UpgradeError) {
    let table = store.state.table.withoutRivals(
      of: replica.program.me, labeled: replica.label)
    let unready = table.unready(for: next, without: labels)
    if !unready.isEmpty { throw .notReady(unready) }
  }
}

extension Program {
  /// Migrates a state as an upgrade does, and reads the result and all owed effects again.
  func migrated(
    _ state: State, _ table: ReplicatedTable, by version: SharedVersion<State>
  ) throws -> State {
    var migrated = state
    try version.migrate(&migrated)
    for owed in table.owed { _ = try format.effect(from: Array(owed.line.utf8)[...]) }
    return try format.state(from: try format.line(of: migrated)[...])
  }
}

/// Reads what an older program wrote, as a newer one does after its start and at its upgrade.
///
/// Until the upgrade the older program reads what the newer one writes, so no property may be lost.
package func checkReading<State: Codable & Sendable>(
  of snapshot: LogSnapshot, _ entries: [LogEntry], versions: [SharedVersion<State>],
  format: JournalFormat<State>
) throws {
  let program = Program(format: format, versions: Versions(versions), me: "")
  let read = try program.read(snapshot)
  let table = read.table
  let lost = try format.unread(in: snapshot.lines.state)
  if !lost.isEmpty {
    throw SharedStoreError.unreadable(
      position: snapshot.position,
      "The older program reads \(lost.joined(separator: ", ")), which the new one doesn't write. "
        + "Keep it until no program of the older version runs.")
  }
  for entry in entries {
    _ = try readable(entry.position) { try Entry.intents(in: entry.bytes, format) }
  }
  var migrated = read.state
  for version in versions where version.number > table.version {
    do { migrated = try program.migrated(migrated, table, by: version) } catch {
      throw UpgradeError.migration("\(error)")
    }
  }
}
