/// The intents on their way from this replica through the log and back: what ``SharedStore`` locks.
///
/// They wait in `queue`, stand together in one entry that is `sent`, and are over when this replica
/// has reduced that entry. One entry is appended at a time, so those of a sender are in order.
/// Methods return the answers to give, which is done unlocked.
struct Outgoing: Sendable {
  typealias Answer = Result<Position, SharedStoreError>
  typealias Reply = @Sendable (Answer) -> Void
  typealias Replies = [(reply: Reply, answer: Answer)]

  private let sender: String
  private let version: Int
  private var queue: [Waiting] = []
  private var sent: [Int: Sent] = [:]
  private var number = 0
  private var stopped: SharedStoreError?

  /// What became of the entries that failed with an unknown outcome; nil: not known yet.
  private var asked: [Int: Outcome?] = [:]

  struct Waiting: Sendable {
    var lines: [[UInt8]]
    var act: Entry.Act?
    var deadline: Duration
    var reply: Reply
  }

  struct Sent: Sendable {
    var deadline: Duration
    var replies: [Reply]
    var position: Position?
  }

  enum Outcome: Equatable {
    case reduced(Position)
    case never
  }

  init(sender: String, version: Int) {
    self.sender = sender
    self.version = version
  }

  /// Takes what is to be sent.
  mutating func add(_ waiting: Waiting) -> Replies {
    if let stopped { return [(waiting.reply, .failure(stopped))] }
    queue.append(waiting)
    return []
  }

  /// Makes one entry of what waits, as far as it fits.
  mutating func next() -> (header: Entry.Header, lines: [[UInt8]], deadline: Duration)? {
    guard let first = queue.first else { return nil }
    var lines = first.lines
    var bytes = first.bytes
    var count = 1
    for waiting in queue.dropFirst() {
      bytes += waiting.bytes
      guard first.act == nil, waiting.act == nil, count < SharedLimits.intents,
        bytes < SharedLimits.lines
      else { break }
      lines += waiting.lines
      count += 1
    }
    number += 1
    sent[number] = Sent(deadline: first.deadline, replies: queue[..<count].map(\.reply))
    queue.removeFirst(count)
    let header = Entry.Header(sender: sender, number: number, version: version, act: first.act)
    return (header, lines, first.deadline)
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

  /// A snapshot up to `position` was taken over, in which `number` is this sender's last entry.
  ///
  /// What stood in the entries that were jumped over is known of some alone.
  mutating func restored(to position: Position, last number: Int) -> Replies {
    asked = asked.filter { $0.key > number || $0.value != nil }
    return sent.keys.sorted().filter { $0 <= number }.flatMap { earlier -> Replies in
      let known = sent[earlier]?.position ?? (earlier == number ? position : nil)
      let answer = known.map(Answer.success) ?? .failure(.unknownOutcome(Ticket(number: earlier)))
      return sent.removeValue(forKey: earlier)?.replies.map { ($0, answer) } ?? []
    }
  }

  /// Ends an entry that did not come back.
  mutating func giveUp(_ number: Int, _ reason: String, isUnknown: Bool) -> Replies {
    guard let sent = sent.removeValue(forKey: number) else { return [] }
    if isUnknown { asked[number] = .some(nil) }
    return sent.replies.map {
      ($0, .failure(isUnknown ? .unknownOutcome(Ticket(number: number)) : .notSent(reason)))
    }
  }

  /// Ends what has waited for too long. (What is being appended ends when that gives up.)
  mutating func expire(at now: Duration) -> Replies {
    let late = queue.prefix { $0.deadline <= now }
    queue.removeFirst(late.count)
    var replies: Replies = late.map { ($0.reply, .failure(.notSent("It waited for too long."))) }
    for (number, entry) in sent where entry.deadline <= now && entry.position != nil {
      replies += giveUp(number, "", isUnknown: true)
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
      + sent.keys.sorted().flatMap { giveUp($0, "", isUnknown: true) }
  }
}

extension Outgoing.Waiting {
  fileprivate var bytes: Int {
    lines.reduce(0) { $0 + $1.count + 1 }
  }
}
