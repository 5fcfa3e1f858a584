import Glue

/// A replica's place in its log, and what it has read there.
struct Place {
  var position = 0
  var log: String?
  var link = LogLink.connecting
  var isBehind = false

  /// Whether the last page reached the log's end.
  var isAtEnd = false

  /// The session in which the entry at `position` was compared with the log.
  var session: String?

  /// Whether a snapshot has replaced what was read, since it was last compared.
  fileprivate var hasSkipped = false

  /// A snapshot that the log doesn't have the entry of.
  fileprivate var unusable: LogPosition?

  /// The last 4,000 positions, and the one before them.
  private var past: [LogPosition: Past] = [0: Past(digest: 0)]

  private struct Past {
    /// The digest of all entries up to there.
    let digest: UInt64

    /// Whether this replica's own intents were reduced there.
    var isMine = false
  }

  /// Moves to a snapshot's position, or before the first entry.
  mutating func jump(to seen: Entry.Seen, before: [UInt64]) {
    (position, hasSkipped) = (seen.position, position > 0)
    past = [position: Past(digest: seen.digest)]
    for (back, digest) in before.enumerated() {
      past[position - 1 - back] = Past(digest: digest)
    }
  }

  /// The digests of the positions before this one, backwards to what an entry's sender had seen.
  func digests(backTo seen: Entry.Seen) -> [UInt64] {
    let first = min(max(seen.position, position - 1_000), position)
    let positions = (first..<position).reversed()
    return positions.compactMap { past[$0]?.digest }
  }

  /// Whether the log still has what was read.
  ///
  /// An entry that was tried again may have its old position after other entries. In a log that has
  /// lost entries, its sender had compared them as far as it says that it had seen them. So those after
  /// that are compared as well: mostly none, because it had seen the one before.
  func isUnchanged(
    _ entry: (LogPosition) async throws -> LogEntry?
  ) async throws -> Bool {
    var (position, known) = (position, oldest)
    while position > known {
      guard let logged = try await entry(position), read(logged, at: position) else { return false }
      known = max(known, (try? Entry.header(of: logged.bytes))?.seen.position ?? 0)
      position -= 1
    }
    return true
  }

  /// Compares another replica's digest with the one at the same position, if that is still here.
  ///
  /// The next entry's sender can't have read further than the entry before it.
  func check(_ other: Entry.Seen) throws {
    let differs = past[other.position].map { $0.digest != other.digest } ?? false
    if other.position > position || differs {
      throw SharedStoreError.diverged(position: min(position, other.position))
    }
  }

  mutating func note(_ new: Entry.Seen, isMine: Bool) {
    past[new.position] = Past(digest: new.digest, isMine: isMine)
    past[new.position - 4_001] = nil
  }

  /// A recreated log has other entries at the same positions.
  mutating func check(log other: String) throws {
    if let log, log != other {
      throw SharedStoreError.logRecreated("The log was \(log), and is \(other).")
    }
    log = other
  }

  /// Whether the log's entry at a position is the one that was read there.
  func read(_ entry: LogEntry?, at position: LogPosition) -> Bool {
    guard let entry, let before = past[position - 1], let here = past[position] else {
      return false
    }
    return digest(of: entry.bytes, after: before.digest) == here.digest
  }

  /// Whether an entry that another replica has read is the one that was read here.
  func read(_ other: Entry.Seen) -> Bool { past[other.position]?.digest == other.digest }

  /// The first position that can be compared.
  fileprivate var oldest: LogPosition { past.keys.min() ?? position }

  /// The positions of this replica's own intents after another one.
  fileprivate func mine(after position: LogPosition) -> [LogPosition] {
    past.filter { $0.key > position && $0.value.isMine }.map(\.key).sorted()
  }
}

extension Replica {
  /// An engine that doesn't distinguish sessions may begin another one after a failure.
  func loseLink(_ place: inout Place) {
    guard place.session == "" else { return }
    place.session = nil
    sender.change { $0.leaveSession() }
  }

  /// Compares the last entry that was read with the log's, before anything is sent in a session, and
  /// when the log ends before that entry.
  ///
  /// If a snapshot was read since the last session, what was read before can't be compared any more. So
  /// entries in flight that follow from it are given up.
  ///
  /// - Returns: the page to reduce. If the log has lost that entry, the replica has begun anew: then it
  ///   is an empty one, or nil if there is more to read first.
  func compare(_ page: LogPage, _ place: inout Place) async throws -> LogPage? {
    guard page.session != place.session || page.end < place.position else {
      place.hasSkipped = false
      return page
    }
    sender.change { $0.leaveSession() }
    guard try await isUnchangedOrKept(place) else {
      try await beginAnew(&place)
      place.session = page.session
      if page.end > place.position { return nil }
      return LogPage(log: page.log, session: page.session, end: page.end, entries: [])
    }
    if place.hasSkipped { giveUp(after: nil) }
    (place.session, place.hasSkipped) = (page.session, false)
    return page
  }

  /// Compares with the log's snapshot if entries were dropped that would have to be compared.
  ///
  /// A snapshot after this place replaces what was read here.
  private func isUnchangedOrKept(_ place: Place) async throws -> Bool {
    do {
      return try await isUnchanged(place)
    } catch let error as LogError {
      guard case .trimmed = error, let snapshot = try await log.snapshot(),
        snapshot.position <= place.position
      else { throw error }
      return place.read(try program.read(snapshot).table.seen)
    }
  }

  /// Begins with the log's snapshot, or with the first state, because entries were lost.
  ///
  /// Nothing changes before all that is needed was read, so that this can be tried again.
  private func beginAnew(_ place: inout Place) async throws {
    let last = try await lastUnchanged(of: place)
    let (found, unusable) = try await usableSnapshot(above: 0)
    if let found { try place.check(log: found.log) }
    report(
      .logWentBack(from: place.position, to: last, acknowledged: place.mine(after: last)))
    let table = found?.table ?? ReplicatedTable()
    place.unusable = unusable
    place.jump(to: table.seen, before: found?.before ?? [])
    place.hasSkipped = false
    store.dispatch(Restored(state: found?.state ?? initial, table: table))
    giveUp(after: last)
  }

  /// Gives up what follows from entries that may be lost; owed effects begin anew.
  ///
  /// - Parameter last: the last entry that isn't lost; nil: not known.
  private func giveUp(after last: LogPosition?) {
    comparisons.removeAll()
    sender.answer { $0.goBack(to: last) }
    duties.cancelAll()
  }

  /// The last position where the log has the entry that was read there, by bisection.
  private func lastUnchanged(of place: Place) async throws -> LogPosition {
    var (same, other) = (place.oldest, place.position)
    while other - same > 1 {
      let middle = (same + other) / 2
      if try await has(middle, of: place) { same = middle } else { other = middle }
    }
    return same
  }

  /// Restores the newest snapshot, if it is ahead.
  func restore(_ place: inout Place) async throws {
    let (found, unusable) = try await usableSnapshot(above: place.position)
    if let unusable, unusable != place.unusable {
      report(.logWentBack(from: unusable, to: unusable - 1, acknowledged: []))
    }
    place.unusable = unusable
    guard let found else { return }
    try place.check(log: found.log)
    place.jump(to: found.table.seen, before: found.before)
    store.dispatch(Restored(state: found.state, table: found.table))
    duties.replace(by: found.table)
    sender.answer { $0.restored(found.table) }
  }

  /// The newest snapshot after a position; its position alone if the log has lost the entry there.
  ///
  /// The log may have another entry there, because others have sent since.
  private func usableSnapshot(
    above position: LogPosition
  ) async throws -> (found: ReadSnapshot<State>?, unusable: LogPosition?) {
    guard let snapshot = try await log.snapshot(), snapshot.position > position else {
      return (nil, nil)
    }
    let found = try program.read(snapshot)
    var place = Place()
    place.jump(to: found.table.seen, before: found.before)
    do {
      return try await isUnchanged(place) ? (found, nil) : (nil, place.position)
    } catch LogError.trimmed {
      return (found, nil)
    }
  }

  func isUnchanged(_ place: Place) async throws -> Bool {
    try await place.isUnchanged { try await log.entry(at: $0, within: .seconds(4)) }
  }

  /// Whether the log has the entry that was read at a position, unless that was dropped since.
  private func has(_ position: LogPosition, of place: Place) async throws -> Bool {
    do {
      return place.read(try await log.entry(at: position, within: .seconds(4)), at: position)
    } catch LogError.trimmed {
      return true
    }
  }
}
