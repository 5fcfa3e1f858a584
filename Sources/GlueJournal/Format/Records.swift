public import Glue

/// Identifies an effect that must happen, by its commit and its index among that commit's effects.
package struct EffectKey: Hashable, Comparable, Sendable {
  let commit: Int
  let index: Int

  package static func < (a: EffectKey, b: EffectKey) -> Bool {
    (a.commit, a.index) < (b.commit, b.index)
  }
}

struct KeptEffect: Sendable {
  let key: EffectKey
  let time: Int
  var effect: any Effect
}

/// Stands for intents that could not be recorded.
///
/// The journal has the state after them instead (J7).
public struct UnrecordedIntent: Intent, Hashable {
  /// The commits that it stands for.
  public let commits: ClosedRange<Int>
}

struct Record: Sendable {
  /// Numbers have no gaps.
  ///
  /// A state has the number of the log that follows it.
  let number: Int

  /// The last record known to be on the disk, with all before it, when this one was written.
  let durable: Int
  var content: Content

  /// The index of the file that the record was read from, and its offset there, in bytes.
  var origin = (source: 0, offset: 0)

  enum Content: Sendable {
    /// The state after a commit, in a file of its own, and the effects left over at that point.
    case state(AnyState, after: Int, at: Int, left: [KeptEffect])

    /// The first line of a log: the commit it begins after, and the kernel's boot id.
    case log(after: Int, at: Int, boot: String?)
    case commit(RecordedCommit)
    case over([EffectKey])

    /// A process continues a log that was written before the machine restarted.
    case opened(after: Int, boot: String)
    case closed(after: Int)
  }

  var commit: RecordedCommit? {
    if case .commit(let commit) = content { commit } else { nil }
  }

  /// The commits that the record holds.
  ///
  /// A state or a log holds none: its `last` is the commit before it, and its `first` the next one.
  var commits: (first: Int, last: Int)? {
    switch content {
    case .state(_, let commit, _, _), .log(let commit, _, _): (commit + 1, commit)
    case .commit(let commit): (commit.gap?.lowerBound ?? commit.number, commit.number)
    case .over, .opened, .closed: nil
    }
  }
}

/// A commit as it is recorded.
///
/// `@unchecked Sendable` is sound because a commit changes only under the store's and the queue's
/// lock until a write takes it, and then only on the writing thread. For the same reason it needs
/// no exclusivity checks, which took 2 % of a written commit.
final class RecordedCommit: @unchecked Sendable {
  let number: Int

  /// The time of the commit, in microseconds since 1970.
  let time: Int
  @exclusivity(unchecked) var cause: Cause

  /// The commit's intent, or the ``UnrecordedIntent`` for it and those before it.
  @exclusivity(unchecked) var intent: any Intent

  /// The state after the commit, if it is recorded with it.
  @exclusivity(unchecked) var state: AnyState?

  /// Otherwise the state after the commit, for a log that may begin behind it or for a digest that
  /// the writer makes.
  @exclusivity(unchecked) var copy: AnyState?
  @exclusivity(unchecked) var isForDigest = false
  @exclusivity(unchecked) var digest: Digest?
  @exclusivity(unchecked) var effects: [KeptEffect] = []

  /// The types of effects that the end of the process loses although the format doesn't say so.
  @exclusivity(unchecked) var unnamed: [any Effect.Type] = []
  @exclusivity(unchecked) var over: [EffectKey] = []

  init(number: Int, time: Int, cause: Cause, intent: any Intent) {
    self.number = number
    self.time = time
    self.cause = cause
    self.intent = intent
  }

  var newest: AnyState? { state ?? copy }

  /// The commits whose intents the state replaces; nil if the intent is recorded.
  var gap: ClosedRange<Int>? {
    // Comparing first, because a failing cast takes much longer.
    type(of: intent) == UnrecordedIntent.self ? (intent as? UnrecordedIntent)?.commits : nil
  }
}

let formatNumber = 1

// MARK: - Writing

extension LineBuffer {
  mutating func write(_ record: Record, _ coding: Coding, digests: Bool = true) throws {
    try line { line in try line.parts(of: record, coding, digests: digests) }
  }

  /// Writes a record as the only line of a file.
  static func write(_ record: Record, to file: LineFile, _ coding: Coding) throws {
    try write(to: file) { line in try line.parts(of: record, coding, digests: true) }
  }

  private mutating func parts(of record: Record, _ coding: Coding, digests: Bool) throws {
    add(#"{"n":"#, record.number, #","d":"#, record.durable)
    switch record.content {
    case .state(let state, let commit, let time, let left):
      add(#","state":"#, commit)
      head(coding.version, time)
      try write(left, coding)
      if digests { try Digest.of(coded(state))?.write(to: &self) }
      add(#","value":"#)
      try value(coded(state), coding)
    case .log(let commit, let time, let boot):
      add(#","log":"#, commit)
      head(coding.version, time)
      if let boot { add(#","boot":"#, Quoted(boot)) }
    case .commit(let commit): try write(commit, coding)
    case .over(let keys): write(keys)
    case .opened(let commit, let boot):
      add(#","opened":"#, commit, #","boot":"#, Quoted(boot))
    case .closed(let commit): add(#","closed":"#, commit)
    }
    add("}")
  }

  private mutating func head(_ version: Int, _ time: Int) {
    add(#","format":"#, formatNumber, #","version":"#, version, #","at":"#, time)
  }

  private mutating func write(_ commit: RecordedCommit, _ coding: Coding) throws {
    add(#","commit":"#, commit.number, #","at":"#, commit.time)
    switch commit.cause {
    case .outside: break
    case .effect(let index, let commit): add(#","cause":["#, commit, ",", index, "]")
    case .lasting(let id, let commit):
      add(#","cause":["lasting","#, Quoted(id), ",", commit, "]")
    }
    if let gap = commit.gap {
      add(#","from":"#, gap.lowerBound)
    } else {
      add(#","intent":"#)
      do { try coding.write(commit.intent, to: &self) } catch {
        throw CodingFailure(reason(of: error), isOfIntent: true)
      }
    }
    try write(commit.effects, coding)
    if !commit.over.isEmpty { write(commit.over) }
    commit.digest?.write(to: &self)
    if let state = commit.state {
      add(#","state":"#)
      try value(coded(state), coding)
    }
  }

  private mutating func write(_ over: [EffectKey]) {
    add(#","over":"#)
    list(over) { line, key in line.add("[", key.commit, ",", key.index, "]") }
  }

  private mutating func write(_ effects: [KeptEffect], _ coding: Coding) throws {
    if effects.isEmpty { return }
    add(#","effects":"#)
    try list(effects) { line, kept in try coding.write(kept, to: &line) }
  }
}
