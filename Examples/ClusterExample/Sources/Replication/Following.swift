import Foundation
import Glue

/// What the tasks of a ``SharedStore`` work with.
///
/// It does not hold the ``SharedStore``, which ends
/// them when it goes.
struct Replica<State: Codable & Sendable, Local: Sendable>: Sendable {
  let log: any Log
  let store: Store<Replicated<State, Local>>
  let sender: Sender
  let names: Names
  let version: Int
  let snapshotEvery: Int
  let lease: Duration
  let timing: Timing
  let duties: Duties

  init(
    log: any Log, store: Store<Replicated<State, Local>>, sender: Sender, names: Names,
    version: Int, snapshotEvery: Int, lease: Duration, timing: Timing
  ) {
    self.log = log
    self.store = store
    self.sender = sender
    self.names = names
    self.version = version
    self.snapshotEvery = snapshotEvery
    self.lease = lease
    self.timing = timing
    duties = Duties(sender: sender, names: names, timing: timing)
  }
}

/// What the tasks dispatch on the store; nobody else can.
struct FromLog: Intent {
  let position: Position
  let digest: UInt64
  let entry: Entry
}

struct Restored<State: Sendable>: Intent {
  let state: State
  let table: Table
}

struct LinkChanged: Intent {
  let link: Link
}

func replicatedReducer<State, Local>(
  _ reducer: @escaping Reducer<State>, _ local: @escaping Reducer<Local>, me: String, names: Names
) -> Reducer<Replicated<State, Local>> {
  { replicated, intent in
    switch intent {
    case let intent as FromLog:
      replicated.table.digest = intent.digest
      return replicated.reduce(
        intent.entry, at: intent.position, me: me, names: names, by: reducer)
    case let intent as Restored<State>:
      replicated.state = intent.state
      replicated.table = intent.table
    case let intent as LinkChanged:
      replicated.link = intent.link
    default:
      return local(&replicated.local, intent)
    }
    return []
  }
}

/// How far a replica has followed which log.
struct Place {
  var position = 0
  var log: String?
  var link = Link.connecting

  /// What was seen at the last positions.
  var seen: [Entry.Seen] = []

  /// Compares what another replica was shown, where this one remembers it.
  ///
  /// Who appended what comes next cannot have been shown more than what is there.
  func check(_ other: Entry.Seen?) throws {
    guard let other else { return }
    if other.position > position { throw SharedStoreError.diverged(position: position) }
    guard let first = seen.first, other.position >= first.position else { return }
    let index = other.position - first.position
    if index < seen.count && seen[index] != other {
      throw SharedStoreError.diverged(position: other.position)
    }
  }

  /// Remembers what was seen, of thousands of positions the last half.
  mutating func note(_ new: Entry.Seen) {
    if seen.count == 4_000 || seen.last?.position != new.position - 1 {
      seen.removeFirst(seen.count == 4_000 ? 2_000 : seen.count)
    }
    seen.append(new)
  }
}

extension Replica {
  /// Reads the log and reduces its entries, until the task is cancelled or there is no going on.
  func follow() async {
    var place = Place()
    var backoff = Backoff()
    var mustRestore = true
    while !Task.isCancelled {
      do {
        if mustRestore { try await restore(&place) }
        mustRestore = false
        let page = try await log.read(from: place.position + 1, within: .seconds(1))
        try reduce(page, &place)
        set(.live, &place)
        backoff = Backoff()
      } catch let error as SharedStoreError {
        sender.stop(error)
        return set(.stopped(error), &place)
      } catch {
        if case LogError.trimmed = error { mustRestore = true }
        set(.cut("\(error)"), &place)
        await backoff.wait(timing)
      }
      sender.expire()
    }
  }

  /// Reduces what follows on the last entry; nothing is skipped, and nothing reduced twice.
  private func reduce(_ page: Page, _ place: inout Place) throws {
    try check(page.log, &place)
    for entry in page.entries where entry.position > place.position {
      guard entry.position == place.position + 1 else {
        throw LogError.cut("\(entry.position) came after \(place.position): there is a gap.")
      }
      try reduce(entry, from: page.log, &place)
      place.position = entry.position
    }
  }

  /// A log that was deleted and made anew has other entries at the same positions.
  func check(_ log: String, _ place: inout Place) throws {
    if let known = place.log, known != log {
      throw SharedStoreError.anew("The log was \(known), and is \(log).")
    }
    place.log = log
  }

  private func reduce(_ logged: LogEntry, from log: String, _ place: inout Place) throws {
    let position = logged.position
    let header = try readable(position) { try Entry.header(of: logged.bytes) }
    try check(header.version, at: position)
    let entry = try readable(position) { try Entry(logged.bytes, names: names) }
    try place.check(header.seen)
    let digest = digest(of: logged.bytes, after: store.state.table.digest)
    place.note(Entry.Seen(position: position, digest: digest))
    let isNew = header.number > store.state.table.senders[header.sender, default: 0]
    store.dispatch(FromLog(position: position, digest: digest, entry: entry))
    duties.follow(store.state.table, me: sender.name)
    guard header.sender == sender.name else { return }
    if isNew { sender.answer { $0.reduced(header.number, at: position) } }
    if position % snapshotEvery == 0 { keepSnapshot(of: log) }
  }

  func check(_ other: Int, at position: Position) throws {
    if other != version {
      throw SharedStoreError.version(mine: version, others: other, position: position)
    }
  }

  func readable<Value>(_ position: Position, _ read: () throws -> Value) throws -> Value {
    do { return try read() } catch {
      throw SharedStoreError.unreadable(position: position, "\(error)")
    }
  }

  private func set(_ link: Link, _ place: inout Place) {
    guard link != place.link else { return }
    place.link = link
    store.dispatch(LinkChanged(link: link))
  }
}

/// The digest of a log up to an entry: FNV-1a, 64 bits.
private func digest(of entry: [UInt8], after digest: UInt64) -> UInt64 {
  entry.reduce((digest ^ 0xCBF2_9CE4_8422_2325) &* 0x100_0000_01B3) {
    ($0 ^ UInt64($1)) &* 0x100_0000_01B3
  }
}
