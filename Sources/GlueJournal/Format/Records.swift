import Glue

/// An effect that must happen: the one at an index of the effects of a commit.
struct EffectKey: Hashable, Comparable, Sendable {
  let commit: Int
  let index: Int

  static func < (a: EffectKey, b: EffectKey) -> Bool {
    (a.commit, a.index) < (b.commit, b.index)
  }
}

/// The form of the files; what is of another one is not read.
let formatNumber = 1

// What each kind of line holds. "n" is the record's number, "d" the one up to which all were known
// to be on the disk when it was written, "at" a time in microseconds since 1970.

extension LineBuffer {
  private mutating func numbers(_ number: Int, _ durable: Int) {
    text("{\"n\":")
    integer(number)
    text(",\"d\":")
    integer(durable)
  }

  private mutating func member(_ name: StaticString, _ value: Int) {
    text(name)
    integer(value)
  }

  /// The first line of a log: which commit it begins after.
  mutating func log(_ number: Int, after commit: Int, version: Int, at time: Int) {
    line { line in
      line.numbers(number, number - 1)
      line.member(",\"log\":", commit)
      line.member(",\"format\":", formatNumber)
      line.member(",\"version\":", version)
      line.member(",\"at\":", time)
      line.text("}")
    }
  }

  /// The one line of a state file: the state after a commit, and the effects that are left then.
  mutating func state(
    _ json: some Sequence<UInt8>, after commit: Int, durable: Int, version: Int,
    at time: Int, left: [[UInt8]]
  ) {
    line { line in
      line.member("{\"d\":", durable)
      line.member(",\"state\":", commit)
      line.member(",\"format\":", formatNumber)
      line.member(",\"version\":", version)
      line.member(",\"at\":", time)
      line.text(",\"effects\":")
      line.list(left) { $0.json($1) }
      line.text(",\"value\":")
      line.json(json)
      line.text("}")
    }
  }

  /// A commit, with the state after it where that is recorded.
  mutating func commit(
    _ number: Int, _ durable: Int, _ commit: CommitItem<some Sendable>, _ state: [UInt8]?,
    effects: [[UInt8]], _ coding: Coding
  ) throws {
    try line { line in
      line.numbers(number, durable)
      line.member(",\"commit\":", commit.number)
      line.member(",\"at\":", commit.time)
      line.cause(commit.cause)
      if let first = commit.firstLost {
        line.member(",\"from\":", first)
      } else if commit.isNamed {
        line.text(",\"intent\":")
        do { try coding.write(commit.intent, to: &line) } catch {
          throw UnwritableIntent(reason: "\(error)")
        }
      }
      if !effects.isEmpty {
        line.text(",\"effects\":")
        line.list(effects) { $0.json($1) }
      }
      if !commit.over.isEmpty { line.over(commit.over) }
      if let state {
        line.text(",\"state\":")
        line.json(state)
      }
      line.text("}")
    }
  }

  private mutating func cause(_ cause: Cause) {
    switch cause {
    case .outside: break
    case .effect(let index, let commit):
      text(",\"cause\":")
      key(EffectKey(commit: commit, index: index))
    case .lasting(let id, let commit):
      text(",\"cause\":[\"lasting\",")
      string(id)
      text(",")
      integer(commit)
      text("]")
    }
  }

  private mutating func key(_ key: EffectKey) { list([key.commit, key.index]) { $0.integer($1) } }

  private mutating func over(_ keys: [EffectKey]) {
    text(",\"over\":")
    list(keys) { $0.key($1) }
  }

  /// Effects that are over.
  mutating func mark(_ number: Int, _ durable: Int, over keys: [EffectKey]) {
    line { line in
      line.numbers(number, durable)
      line.over(keys)
      line.text("}")
    }
  }

  /// A clean end.
  mutating func closed(_ number: Int, after commit: Int) {
    line { line in
      line.numbers(number, number - 1)
      line.member(",\"closed\":", commit)
      line.text("}")
    }
  }
}

/// A cause as it was written.
func cause(from piece: JSONPiece?) -> Cause? {
  guard let piece else { return .outside }
  if let parts = piece.elements, parts.count == 3, let id = parts[1].text,
    let commit = parts[2].integer
  {
    return .lasting(id, sinceCommit: commit)
  }
  return key(from: piece).map { .effect($0.index, ofCommit: $0.commit) }
}

/// The name of an effect as it was written.
func key(from piece: JSONPiece) -> EffectKey? {
  guard let parts = piece.elements, parts.count >= 2, let commit = parts[0].integer,
    let index = parts[1].integer
  else { return nil }
  return EffectKey(commit: commit, index: index)
}
