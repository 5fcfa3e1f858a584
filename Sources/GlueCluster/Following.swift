import Foundation
import Glue

extension Replica {
  /// Reads the log and reduces its entries, until the task is canceled or an error is final.
  func follow() async {
    var place = Place()
    var attempts = Attempts()
    var mustRestore = true
    var uncompared: LogPage?
    if let position = marker?.left { report(.diedReducing(position: position)) }
    while !Task.isCancelled {
      do {
        if mustRestore { try await restore(&place) }
        mustRestore = false
        let page =
          if let uncompared { uncompared } else {
            try await log.read(from: place.position + 1, within: .seconds(1))
          }
        try place.check(log: page.log)
        // If that fails, it is tried again at once: another read might wait for an entry.
        uncompared = page
        let compared = try await compare(page, &place)
        uncompared = nil
        if let compared {
          try reduce(compared, &place)
          place.isAtEnd = place.position >= compared.end
          sender.begin(store.state.table, in: page.session, isAtEnd: place.isAtEnd)
          set(.live, &place)
          if place.isAtEnd { duties.begin(store.state.table) }
        }
        attempts = Attempts()
      } catch let error as SharedStoreError {
        sender.stop(error)
        duties.stop()
        return set(.stopped(error), &place)
      } catch {
        if case LogError.trimmed = error {
          mustRestore = true
          // They may be of another history than the snapshot.
          uncompared?.entries = []
        }
        duties.pause()
        place.isAtEnd = false
        loseLink(&place)
        if !Task.isCancelled { set(.cut("\(error)"), &place) }
        await attempts.pause(timing)
      }
    }
  }

  /// Reduces the entries after the last one.
  ///
  /// It skips none, and reduces none twice.
  private func reduce(_ page: LogPage, _ place: inout Place) throws {
    let lag = page.end - place.position
    if lag > 1_000, !place.isBehind { report(.behind(by: lag)) }
    place.isBehind = lag > 1_000
    if lag > 1 { duties.pause() }
    let heard = place.isAtEnd ? timing.date(.zero) : nil
    defer { if !page.entries.isEmpty { marker?.note(nil) } }
    for entry in page.entries where entry.position > place.position {
      guard entry.position == place.position + 1 else {
        throw LogError.cut("\(entry.position) came after \(place.position): there is a gap.")
      }
      marker?.note(entry.position)
      try reduce(entry, of: page, heard, &place)
    }
  }

  private func reduce(
    _ logged: LogEntry, of page: LogPage, _ heard: Date?, _ place: inout Place
  ) throws {
    let (position, before) = (logged.position, store.state.table)
    let digest = digest(of: logged.bytes, after: before.digest)
    guard let header = try Entry.header(of: logged) else {
      place.note(Entry.Seen(position: position, digest: digest), isMine: false)
      store.dispatch(
        FromLog(
          position: position, digest: digest, header: nil, intents: [], end: page.end, heard: nil))
      place.position = position
      return report(.strayEntry(position: position))
    }
    try place.check(header.seen)
    let outcome = before.outcome(of: header)
    let next = before.upgrade(by: header, at: position)
    try program.check(next ?? before.version(at: header), at: position)
    // An entry that isn't reduced isn't decoded: this program may not know its version.
    let intents =
      outcome == .reduced
      ? try readable(position) { try Entry.intents(in: logged.bytes, program.format) } : []
    let isMine = header.sender == program.me && outcome == .reduced && !intents.isEmpty
    place.note(Entry.Seen(position: position, digest: digest), isMine: isMine)
    store.dispatch(
      FromLog(
        position: position, digest: digest, header: header, intents: intents, end: page.end,
        heard: heard))
    place.position = position
    notice(header, outcome, before, of: page, place)
  }

  /// Updates duties, answers, reports and snapshots after an entry.
  private func notice(
    _ header: Entry.Header, _ outcome: ReplicatedTable.Outcome, _ before: ReplicatedTable,
    of page: LogPage, _ place: Place
  ) {
    let table = store.state.table
    var done: OwedID?
    if case .done(let id, before.owner.revision) = header.act, outcome == .reduced { done = id }
    duties.follow(table, after: before.owner, done: done)
    if before.version > 0, before.version < table.version { report(.upgraded(to: table.version)) }
    if before.owner.sender != table.owner.sender { report(.ownerChanged(table.ownersLabel)) }
    let (isMine, isUpgraded) = (header.sender == program.me, before.version < table.version)
    if isMine {
      switch outcome {
      case .reduced: sender.answer { $0.reduced(header.number, at: table.position) }
      case .repeated: break
      case .void(let reason): sender.answer { $0.giveUp(header.number, .notSent(reason)) }
      }
    }
    meet(header, table)
    guard outcome == .reduced else { return }
    if case .kept(let position, let version, let digest) = header.act {
      if !isMine { compare(version, digest, at: position) }
    } else if table.position % snapshotEvery == 0 || isUpgraded && before.version > 0 {
      keepSnapshot(of: page, after: place.digests(backTo: header.seen), isKeeper: isMine)
    }
  }

  /// Reports another live replica with this one's label, and shows that one that this one lives.
  private func meet(_ header: Entry.Header, _ table: ReplicatedTable) {
    guard let mine = table.senders[program.me], sender.change({ $0.meets(header, mine) }) else {
      return
    }
    report(.labelInUse(mine.replica))
    sender.add([], nil) { _ in }
  }

  private func set(_ link: LogLink, _ place: inout Place) {
    if case .cut(let reason) = link { sender.change { $0.obstacle = reason } }
    guard link != place.link else { return }
    if link == .live { sender.change { $0.obstacle = nil } }
    let before = place.link
    place.link = link
    store.dispatch(LinkChanged(link: link))
    switch link {
    case .connecting: break
    case .live where before == .connecting: break
    case .live: report(.linkBack)
    case .cut(let reason): if case .cut = before {} else { report(.linkLost(reason)) }
    case .stopped(let error): report(.stopped(error))
    }
  }
}

extension Entry {
  /// The header of an entry; nil if no version of this module made it, so that it is void.
  static func header(of logged: LogEntry) throws -> Entry.Header? {
    do { return try header(of: logged.bytes) } catch {
      if EntryID(of: logged.bytes) == nil { return nil }
      throw SharedStoreError.unreadable(position: logged.position, "\(error)")
    }
  }
}

extension Program {
  /// Stops a program that doesn't know the version in force from here on.
  func check(_ version: Int, at position: LogPosition) throws {
    if versions[version] == nil {
      throw SharedStoreError.version(log: version, known: versions.known, position: position)
    }
  }
}

func readable<Value>(_ position: LogPosition, _ read: () throws -> Value) throws -> Value {
  do { return try read() } catch {
    throw SharedStoreError.unreadable(position: position, "\(error)")
  }
}

/// The digest of a log up to an entry: FNV-1a, 64 bits.
func digest(of entry: [UInt8], after digest: UInt64) -> UInt64 {
  entry.reduce((digest ^ 0xCBF2_9CE4_8422_2325) &* 0x100_0000_01B3) {
    ($0 ^ UInt64($1)) &* 0x100_0000_01B3
  }
}
