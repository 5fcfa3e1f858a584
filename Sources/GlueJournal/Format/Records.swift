public import Glue

/// An effect that must happen: the one at an index of the effects of a commit.
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

/// Stands for intents that could not be recorded: the state after them was instead (J7).
public struct UnrecordedIntent: Intent, Hashable {
  /// The commits that it stands for.
  public let commits: ClosedRange<Int>
}

struct Record: Sendable {
  /// Records are numbered without gaps; that of a state is the one of the log that follows.
  let number: Int

  /// Up to which record all were known to be on the disk when this was written.
  let durable: Int
  var content: Content

  /// Which of the files it was read from, and the byte at which it begins there.
  var origin = (source: 0, offset: 0)

  enum Content: Sendable {
    /// The state after a commit, in a file of its own, and the effects that were left then.
    case state(AnyState, after: Int, at: Int, left: [KeptEffect])

    /// The first line of a log: the commit it begins after, and the kernel's boot id.
    case log(after: Int, at: Int, boot: String?)
    case commit(RecordedCommit)
    case over([EffectKey])

    /// A process goes on with a log that was written before the machine restarted.
    case opened(after: Int, boot: String)
    case closed(after: Int)
  }

  var commit: RecordedCommit? {
    if case .commit(let commit) = content { commit } else { nil }
  }
}

/// A commit as it is recorded.
///
/// `@unchecked Sendable` is sound because what varies does so under the store's lock and the
/// queue's until a write takes it, and then on the thread that writes. So exclusivity, whose checks
/// were 2 % of a written commit, needs none.
final class RecordedCommit: @unchecked Sendable {
  let number: Int

  /// When it was made, in microseconds since 1970.
  let time: Int
  @exclusivity(unchecked) var cause: Cause

  /// Its intent, or what stands for it and those before it.
  @exclusivity(unchecked) var intent: any Intent

  /// The state after it, if that is recorded, or needed for the digest alone.
  @exclusivity(unchecked) var state: AnyState?
  @exclusivity(unchecked) var isForDigest = false
  @exclusivity(unchecked) var digest: Digest?
  @exclusivity(unchecked) var effects: [KeptEffect] = []

  /// The types of effects that the process may lose although the format doesn't say so.
  @exclusivity(unchecked) var unnamed: [any Effect.Type] = []
  @exclusivity(unchecked) var over: [EffectKey] = []

  init(number: Int, time: Int, cause: Cause, intent: any Intent) {
    self.number = number
    self.time = time
    self.cause = cause
    self.intent = intent
  }

  var isGap: Bool { type(of: intent) == UnrecordedIntent.self }
}

let formatNumber = 1

// MARK: - Writing

extension LineBuffer {
  mutating func write(_ record: Record, _ coding: Coding, digests: Bool = true) throws {
    try line { line in
      line.text("{\"n\":", record.number)
      line.text(",\"d\":", record.durable)
      switch record.content {
      case .state(let state, let commit, let time, let left):
        line.text(",\"state\":", commit)
        line.head(coding.version, time)
        try line.write(left, coding)
        if digests { try Digest.of(coded(state))?.write(to: &line) }
        line.text(",\"value\":")
        try line.value(coded(state), coding)
      case .log(let commit, let time, let boot):
        line.text(",\"log\":", commit)
        line.head(coding.version, time)
        if let boot { line.boot(boot) }
      case .commit(let commit): try line.write(commit, coding)
      case .over(let keys): line.over(keys)
      case .opened(let commit, let boot):
        line.text(",\"opened\":", commit)
        line.boot(boot)
      case .closed(let commit): line.text(",\"closed\":", commit)
      }
      line.text("}")
    }
  }

  private mutating func head(_ version: Int, _ time: Int) {
    text(",\"format\":", formatNumber)
    text(",\"version\":", version)
    text(",\"at\":", time)
  }

  private mutating func boot(_ boot: String) {
    text(",\"boot\":")
    quoted(boot)
  }

  private mutating func write(_ commit: RecordedCommit, _ coding: Coding) throws {
    text(",\"commit\":", commit.number)
    text(",\"at\":", commit.time)
    cause(commit.cause)
    if let gap = commit.isGap ? commit.intent as? UnrecordedIntent : nil {
      text(",\"from\":", gap.commits.lowerBound)
    } else {
      text(",\"intent\":")
      do { try coding.write(commit.intent, to: &self) } catch {
        throw Unwritable(reason(of: error), isIntent: true)
      }
    }
    try write(commit.effects, coding)
    if !commit.over.isEmpty { over(commit.over) }
    commit.digest?.write(to: &self)
    if let state = commit.state, !commit.isForDigest {
      text(",\"state\":")
      try value(coded(state), coding)
    }
  }

  private mutating func cause(_ cause: Cause) {
    switch cause {
    case .outside: break
    case .effect(let index, let commit):
      text(",\"cause\":[", commit)
      text(",", index)
      text("]")
    case .lasting(let id, let commit):
      text(",\"cause\":[\"lasting\",")
      quoted(id)
      text(",", commit)
      text("]")
    }
  }

  private mutating func over(_ keys: [EffectKey]) {
    text(",\"over\":")
    list(keys) { line, key in
      line.text("[", key.commit)
      line.text(",", key.index)
      line.text("]")
    }
  }

  private mutating func write(_ effects: [KeptEffect], _ coding: Coding) throws {
    if effects.isEmpty { return }
    text(",\"effects\":")
    try list(effects) { line, kept in try coding.write(kept, to: &line) }
  }
}
