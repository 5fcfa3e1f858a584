/// The intents on their way from this replica through the log and back: what ``Sender`` locks.
///
/// They wait in `queue`, stand together in one entry that is `sent`, and are over when this replica
/// has reduced that entry. One entry is appended at a time, so those of a sender are in order.
/// Methods return the answers to give, which is done unlocked.
struct Outgoing: Sendable {
  typealias Answer = Result<Position, SharedStoreError>
  typealias Reply = @Sendable (Answer) -> Void
  typealias Replies = [(reply: Reply, answer: Answer)]

  /// Nothing is sent before this replica has read what is there.
  var hasBegun = false

  /// Why this replica can't read the log.
  var obstacle: String?

  private let sender: String
  private let replica: String
  private let versions: ClosedRange<Int>
  private var queue: [Waiting] = []
  private var sent: [Int: Sent] = [:]
  private var number = 0
  private var stopped: SharedStoreError?

  /// What became of the entries that failed with an unknown outcome; nil: not known yet.
  private var asked: [Int: Outcome?] = [:]

  struct Waiting: Sendable {
    var lines: [[UInt8]]
    var needs: Int?
    var act: Entry.Act?
    var deadline: Duration
    var reply: Reply

    var bytes: Int { lines.reduce(0) { $0 + $1.count + 1 } }
  }

  struct Sent: Sendable {
    var deadline: Duration
    var seen: Position
    var replies: [Reply]
    var position: Position?
  }

  enum Outcome: Equatable {
    case reduced(Position)
    case never
  }

  init(sender: String, replica: String, versions: ClosedRange<Int>) {
    self.sender = sender
    self.replica = replica
    self.versions = versions
  }

  /// Takes what is to be sent.
  mutating func add(_ waiting: Waiting) -> Replies {
    if let stopped { return [(waiting.reply, .failure(stopped))] }
    queue.append(waiting)
    return []
  }

  /// Sends nothing that older programs can't read until the log is upgraded (U2).
  mutating func refuse(above version: Int) -> Replies {
    guard hasBegun, version > 0, queue.contains(where: { $0.needs ?? 0 > version }) else {
      return []
    }
    defer { queue.removeAll { $0.needs ?? 0 > version } }
    return queue.filter { $0.needs ?? 0 > version }.map {
      let reason = "It needs version \($0.needs ?? 0), and the log is at \(version)."
      return ($0.reply, .failure(.notSent(reason)))
    }
  }

  /// Makes one entry of what waits, as far as it fits.
  mutating func next(
    _ table: Table
  ) -> (header: Entry.Header, lines: [[UInt8]], deadline: Duration)? {
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
    number += 1
    let replies = queue[..<entry.count].map(\.reply)
    sent[number] = Sent(deadline: first.deadline, seen: table.position, replies: replies)
    queue.removeFirst(entry.count)
    let header = Entry.Header(
      sender: sender, replica: replica, number: number, knows: versions.upperBound,
      needs: entry.needs, begins: table.position == 0 ? versions.lowerBound : nil, act: first.act,
      seen: table.seen)
    return (header, entry.lines, first.deadline)
  }

  /// The engine has the entry.
  mutating func appended(_ number: Int, at position: Position) {
    sent[number]?.position = position
  }

  /// Whether the entry waits for the log no longer.
  func isOver(_ number: Int) -> Bool {
    sent[number] == nil
  }

  /// This replica has reduced an entry of its own, so none before it can be reduced any more.
  mutating func reduced(_ number: Int, at position: Position) -> Replies {
    for earlier in asked.keys where asked[earlier] == .some(nil) && earlier <= number {
      asked[earlier] = earlier == number ? .reduced(position) : .never
    }
    guard let sent = sent.removeValue(forKey: number) else { return [] }
    return sent.replies.map { ($0, .success(position)) }
  }

  /// A snapshot was taken over.
  ///
  /// What stood in the entries that were jumped over is known of some alone: not of those that may
  /// have been void, and of none if this sender isn't in the snapshot's table (S5).
  mutating func restored(_ table: Table) -> Replies {
    let last = table.number(of: sender)
    asked = asked.filter { last == 0 ? $0.value != nil : $0.key > last || $0.value != nil }
    return sent.keys.sorted().filter { $0 <= last }.flatMap { earlier -> Replies in
      guard let entry = sent.removeValue(forKey: earlier) else { return [] }
      let known = entry.position ?? (earlier == last ? table.position : nil)
      let isSure = entry.seen >= table.floor
      let answer = isSure ? known.map(Answer.success) : nil
      return entry.replies.map {
        ($0, answer ?? .failure(.unknownOutcome(Ticket(number: earlier))))
      }
    }
  }

  /// Ends an entry that did not come back; nil: with an unknown outcome.
  mutating func giveUp(_ number: Int, _ error: SharedStoreError?) -> Replies {
    guard let sent = sent.removeValue(forKey: number) else { return [] }
    if error == nil { asked[number] = .some(nil) }
    return sent.replies.map { ($0, .failure(error ?? .unknownOutcome(Ticket(number: number)))) }
  }

  /// Ends what has waited for too long. (What is being appended ends when that gives up.)
  mutating func expire(at now: Duration) -> Replies {
    let late = queue.filter { $0.deadline <= now }
    queue.removeAll { $0.deadline <= now }
    let reason = obstacle.map { "The log is out of reach: \($0)" } ?? "It waited for too long."
    var replies: Replies = late.map { ($0.reply, .failure(.notSent(reason))) }
    for (number, entry) in sent where entry.deadline <= now && entry.position != nil {
      replies += giveUp(number, nil)
    }
    return replies
  }

  /// What is known of an entry; nil: nothing yet.
  func outcome(of number: Int) -> Outcome? {
    asked[number] ?? nil
  }

  /// Takes nothing more.
  mutating func stop(_ error: SharedStoreError) -> Replies {
    if stopped == nil { stopped = error }
    defer { queue = [] }
    return queue.map { ($0.reply, .failure(error)) }
      + sent.keys.sorted().flatMap { giveUp($0, nil) }
  }
}
