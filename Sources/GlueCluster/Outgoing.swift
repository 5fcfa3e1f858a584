import Glue

/// This replica's intents on their way through the log and back: the data that ``Sender`` locks.
///
/// Intents wait in `queue`, share an entry in `sent`, and get their answer when this replica has
/// reduced that entry. One entry is appended at a time, so a sender's entries are in order. Methods
/// return answers, which the caller gives after unlocking.
struct Outgoing: Sendable {
  typealias Answer = Result<LogPosition, SharedStoreError>
  typealias Reply = @Sendable (Answer) -> Void
  typealias Replies = [(reply: Reply, answer: Answer)]

  /// Nothing is sent before this replica has read the existing entries.
  var hasBegun = false

  /// The session in which entries may be appended, because this replica has compared itself with the
  /// log there.
  private(set) var session: Session?

  /// Counts how often the log went back.
  private(set) var history = 0

  /// Why this replica can't read the log.
  var obstacle: String?

  /// Why the last append failed; nil: the engine took it.
  var failure: String?

  private let sender: String
  private let replica: String
  private let versions: ClosedRange<Int>
  private let names: [String]

  /// A slice, because its first element can be removed without moving the others.
  private var queue: ArraySlice<Waiting> = []

  /// The requirements of the queue's intents, until it is empty.
  ///
  /// If the log and all replicas meet them, no intent is looked at.
  private var required: (version: Int, names: Set<String>) = (0, [])

  /// How many queued intents were looked at, for tests.
  private(set) var looks = 0
  private var sent: [Int: Sent] = [:]
  private var number = 0
  private var stopped: SharedStoreError?

  /// Whether another live replica with this label would be reported: once, and not while this one
  /// closes.
  private var awaitsAnother = true

  /// The outcomes of entries that failed with an unknown outcome; nil: not known yet.
  private var asked: [Int: Outcome?] = [:]

  /// A session of the engine, while the log contains what this replica has read.
  struct Session: Equatable, Sendable {
    let name: String
    let history: Int
  }

  struct Waiting: Sendable {
    var lines: [[UInt8]]
    var intents: [any Intent] = []
    var needs: Int?
    var names: [String] = []
    var act: Entry.Act?

    /// The history that the act follows from; nil for any.
    var history: Int?
    var deadline: Duration
    var reply: Reply

    var bytes: Int { lines.reduce(0) { $0 + $1.count + 1 } }
  }

  struct Sent: Sendable {
    var deadline: Duration
    var seen: LogPosition
    var waiting: [Waiting]
    var position: LogPosition?

    /// Why the engine refused the last attempt.
    var refusal = "It waited for too long."
    var isBeingAppended = false

    /// Whether an attempt's outcome is unknown.
    var isUncertain = false

    /// Whether another session has begun since the engine acknowledged it.
    var isDoubtful = false

    var replies: [Reply] { waiting.map(\.reply) }
    var mayBeThere: Bool { position != nil || isBeingAppended || isUncertain }
  }

  /// An entry to append.
  struct Next {
    let header: Entry.Header
    let lines: [[UInt8]]
    let intents: [any Intent]

    /// The intents of this sender's earlier entries that it has yet to reduce.
    let earlier: [(number: Int, intents: [any Intent])]
    let deadline: Duration
  }

  enum Outcome: Equatable {
    case reduced(LogPosition)
    case never
  }

  init(sender: String, replica: String, versions: ClosedRange<Int>, names: [String] = []) {
    self.sender = sender
    self.replica = replica
    self.versions = versions
    self.names = names
  }

  /// Whether an empty entry must announce this replica, end the other starts of its label, or show
  /// that appends work again, because no other entry will.
  func mustAnnounce(_ table: ReplicatedTable) -> Bool {
    hasBegun && stopped == nil && queue.isEmpty && sent.isEmpty
      && (failure != nil || !table.hasAnnounced(sender)
        || !table.rivals(of: sender, labeled: replica).isEmpty)
  }

  /// Sends nothing until a session is entered.
  mutating func leaveSession() { session = nil }

  mutating func enterSession(_ name: String) {
    let entered = Session(name: name, history: history)
    if entered != session {
      for (number, entry) in sent where entry.position != nil { sent[number]?.isDoubtful = true }
    }
    session = entered
  }

  /// Begins an attempt to append an entry; nil if it has its answer, or no session was entered.
  mutating func attempt(_ number: Int) -> Session? {
    guard let session, !isOver(number) else { return nil }
    sent[number]?.isBeingAppended = true
    return session
  }

  /// An attempt has failed.
  mutating func failed(_ number: Int, _ error: LogError) {
    sent[number]?.isBeingAppended = false
    if case .refused(let reason) = error {
      sent[number]?.refusal = reason
    } else {
      sent[number]?.isUncertain = true
    }
  }

  private static let wentBack = SharedStoreError.notSent(
    "It followed from entries that the log may have lost.")

  /// Gives up what follows from lost entries: entries in flight, and acts.
  ///
  /// No other entry of theirs counts, because later ones have higher numbers. Intents that the log
  /// certainly doesn't have are sent in a new one.
  ///
  /// - Parameter position: the last entry that isn't lost; nil: not known, nor then what was reduced.
  /// - Returns: the answers of what is given up.
  mutating func goBack(to position: LogPosition?) -> Replies {
    (history, session, hasBegun) = (history + 1, nil, false)
    for case (let number, .reduced(let lost)) in asked where lost > position ?? 0 {
      if position == nil { asked[number] = nil } else { asked[number] = .some(nil) }
    }
    // Only the last one can still be waiting for the engine to take it.
    if let number = sent.keys.max(), let entry = sent[number], !entry.mayBeThere {
      sent[number] = nil
      queue = entry.waiting + queue
      for waiting in entry.waiting { require(waiting) }
    }
    func follows(_ waiting: Waiting) -> Bool { waiting.act != nil && waiting.act != .gone }
    let acts = queue.filter(follows)
    queue.removeAll(where: follows)
    return acts.map { ($0.reply, .failure(Self.wentBack)) }
      + sent.keys.sorted().flatMap { end($0) }
  }

  mutating func add(_ waiting: Waiting) -> Replies {
    if let stopped { return [(waiting.reply, .failure(stopped))] }
    if let known = waiting.history, known != history {
      return [(waiting.reply, .failure(Self.wentBack))]
    }
    if waiting.act == .gone { awaitsAnother = false }
    if queue.isEmpty { (queue, required) = ([], (0, [])) }
    queue.append(waiting)
    require(waiting)
    return []
  }

  private mutating func require(_ waiting: Waiting) {
    required.version = max(required.version, waiting.needs ?? 0)
    required.names.formUnion(waiting.names)
  }

  /// Refuses intents that other programs can't read: until the log is upgraded, or while a live
  /// replica lacks their names.
  mutating func refuse(_ table: ReplicatedTable) -> Replies {
    guard hasBegun, table.version > 0, !queue.isEmpty else { return [] }
    let lacking =
      required.names.isEmpty
      ? [:]
      : table.withoutRivals(of: sender, labeled: replica).lacking(names, for: sender)
    guard
      required.version > table.version || lacking.keys.contains(where: required.names.contains)
    else { return [] }
    func refusal(_ waiting: Waiting) -> SharedStoreError? {
      waiting.refusal(at: table.version, lacking)
    }
    looks += queue.count
    defer { queue.removeAll { refusal($0) != nil } }
    return queue.compactMap { waiting in
      refusal(waiting).map { (waiting.reply, .failure($0)) }
    }
  }

  /// Fills one entry from the queue.
  ///
  /// An act has an entry of its own.
  mutating func next(_ table: ReplicatedTable) -> Next? {
    guard hasBegun, let first = queue.first else { return nil }
    var entry = (lines: first.lines, needs: first.needs, bytes: first.bytes, count: 1)
    for waiting in queue.dropFirst() {
      guard first.act == nil, waiting.act == nil, entry.count < SharedLimits.intents,
        entry.bytes + waiting.bytes < SharedLimits.lines
      else { break }
      entry.lines += waiting.lines
      entry.needs = [entry.needs, waiting.needs].compactMap { $0 }.max()
      entry.bytes += waiting.bytes
      entry.count += 1
    }
    let earlier = sent.sorted { $0.key < $1.key }
      .map { (number: $0.key, intents: $0.value.waiting.flatMap(\.intents)) }
    number += 1
    looks += entry.count
    let waiting = Array(queue.prefix(entry.count))
    sent[number] = Sent(deadline: first.deadline, seen: table.position, waiting: waiting)
    // A slice keeps the storage of what was removed from it.
    queue = entry.count == queue.count ? [] : queue.dropFirst(entry.count)
    let header = Entry.Header(
      sender: sender, replica: replica, number: number, knows: versions.upperBound,
      needs: entry.needs, begins: table.version == 0 ? versions.lowerBound : nil, act: first.act,
      names: table.needsNames(of: sender) ? names : nil, seen: table.seen)
    return Next(
      header: header, lines: entry.lines, intents: waiting.flatMap(\.intents), earlier: earlier,
      deadline: first.deadline)
  }

  /// The engine has the entry.
  mutating func appended(_ number: Int, at position: LogPosition) {
    sent[number]?.position = position
  }

  /// Gives up entries that this replica has read past: the log had them there, and has lost them.
  ///
  /// A comparison doesn't show that, because this replica had not read them when they were lost.
  mutating func passed(_ position: LogPosition) -> Replies {
    let lost = sent.filter { $0.value.position.map { $0 <= position } ?? false }.keys.sorted()
    return lost.flatMap { end($0) }
  }

  /// Whether the entry has its answer.
  func isOver(_ number: Int) -> Bool {
    sent[number] == nil
  }

  /// Whether an entry is the first to show that another live replica has this one's label.
  ///
  /// Either this sender is gone, although it lives, or another one had read this sender's first entry
  /// and then sent this one.
  mutating func meets(_ header: Entry.Header, _ mine: ReplicatedTable.Known) -> Bool {
    let isOther = header.sender != sender && header.replica == replica
    guard awaitsAnother, mine.isGone || isOther && header.seen.position >= mine.first else {
      return false
    }
    awaitsAnother = false
    return true
  }

  /// This replica has reduced an entry of its own, so none before it can still be reduced.
  mutating func reduced(_ number: Int, at position: LogPosition) -> Replies {
    for earlier in asked.keys where asked[earlier] == .some(nil) && earlier <= number {
      asked[earlier] = earlier == number ? .reduced(position) : .never
    }
    guard let sent = sent.removeValue(forKey: number) else { return [] }
    return sent.replies.map { ($0, .success(position)) }
  }

  /// Answers for the entries that a snapshot jumped over.
  ///
  /// An outcome is unknown if the entry may have been void. All are unknown if the snapshot's table
  /// lacks this sender.
  mutating func restored(_ table: ReplicatedTable) -> Replies {
    let last = table.number(of: sender)
    asked = asked.filter { last == 0 ? $0.value != nil : $0.key > last || $0.value != nil }
    return sent.keys.sorted().filter { $0 <= last }.flatMap { earlier -> Replies in
      guard let entry = sent.removeValue(forKey: earlier) else { return [] }
      let acknowledged = entry.isDoubtful ? nil : entry.position
      let known = acknowledged ?? (earlier == last ? table.position : nil)
      let isSure = entry.seen >= table.floor
      let answer = isSure ? known.map(Answer.success) : nil
      return entry.replies.map {
        ($0, answer ?? .failure(.unknownOutcome(SendTicket(number: earlier))))
      }
    }
  }

  /// Fails an entry that did not come back; nil: with an unknown outcome.
  mutating func giveUp(_ number: Int, _ error: SharedStoreError?) -> Replies {
    guard let sent = sent.removeValue(forKey: number) else { return [] }
    if error == nil { asked[number] = .some(nil) }
    return sent.replies.map { ($0, .failure(error ?? .unknownOutcome(SendTicket(number: number)))) }
  }

  /// Fails an entry: with an unknown outcome if it may be in the log.
  mutating func end(_ number: Int) -> Replies {
    guard let entry = sent[number] else { return [] }
    return giveUp(number, entry.mayBeThere ? nil : .notSent(entry.refusal))
  }

  /// Fails everything past its deadline, also an entry that is being appended.
  mutating func expire(at now: Duration) -> Replies {
    looks += queue.count
    let late = queue.filter { $0.deadline <= now }
    queue.removeAll { $0.deadline <= now }
    let reason =
      obstacle.map { "The log is out of reach: \($0)" }
      ?? failure.map { "The log takes no entries: \($0)" } ?? "It waited for too long."
    var replies: Replies = late.map { ($0.reply, .failure(.notSent(reason))) }
    for number in sent.keys.sorted() where sent[number]!.deadline <= now { replies += end(number) }
    return replies
  }

  var nextDeadline: Duration? {
    (queue.map(\.deadline) + sent.values.map(\.deadline)).min()
  }

  /// The outcome of an entry; nil: not known yet.
  func outcome(of number: Int) -> Outcome? {
    asked[number] ?? nil
  }

  /// Refuses everything from now on, and answers all that waits.
  mutating func stop(_ error: SharedStoreError) -> Replies {
    if stopped == nil { stopped = error }
    defer { queue = [] }
    return queue.map { ($0.reply, .failure(error)) }
      + sent.keys.sorted().flatMap { giveUp($0, nil) }
  }
}

extension Outgoing.Waiting {
  /// Why this isn't sent at a version, while live replicas lack names; nil if it is.
  fileprivate func refusal(
    at version: Int, _ lacking: [String: Set<String>]
  ) -> SharedStoreError? {
    if let needs, needs > version {
      return .notSent("It needs version \(needs), and the log is at \(version).")
    }
    let unread = names.filter { lacking[$0] != nil }
    if unread.isEmpty { return nil }
    let replicas = unread.reduce(into: Set()) { $0.formUnion(lacking[$1] ?? []) }.sorted()
    return .notReady(
      replicas,
      "Their programs don't read intents named \(unread.joined(separator: ", ")). Let the version "
        + "that brings them say so by adds:, and call upgrade when all replicas know it. One that "
        + "won't come back is taken out by remove(replica:).")
  }
}
