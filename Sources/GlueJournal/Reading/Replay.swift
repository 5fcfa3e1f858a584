import Glue
import GlueDescribing

/// Replays recorded commits by running reducers and nothing else.
///
/// It compares the results with the recorded states, digests and effects.
struct Replay<State: Codable & Sendable>: Sequence, IteratorProtocol {
  struct Step {
    let commit: RecordedCommit

    /// The record of the commit.
    let record: Record

    /// The effects that the reducer returned; if the intent was not recorded, the recorded ones.
    let effects: [any Effect]

    /// The differences, in the first commit that departs from the recording; nil in others.
    let divergence: Divergence?
  }

  private(set) var state: State
  private(set) var left: [EffectKey: KeptEffect]
  private(set) var doubt: String?

  private let recorded: Recorded
  private let coding: Coding
  private let reducer: Reducer<State>

  /// Whether recorded states replace replayed ones, and large states are digested only now and
  /// then.
  private let isOpening: Bool

  /// Whether another replay found a differing digest, and this one looks for the first.
  private let isRepeating: Bool
  private var rest: ArraySlice<Record>

  /// The last commit where replay gave everything that was recorded.
  private var lastEqual: Int
  private var hasDiverged = false
  private var comparesDigests: Bool
  private let lastDigest: Int?

  /// The number of values in the last digest, and how many the next digest may have.
  private var leaves = 0
  private var allowance = 0

  init(
    of recorded: Recorded, _ coding: Coding, isOpening: Bool = false, isRepeating: Bool = false,
    _ reducer: @escaping Reducer<State>
  ) {
    self.recorded = recorded
    self.coding = coding
    self.reducer = reducer
    self.isOpening = isOpening
    self.isRepeating = isRepeating
    state = typed(recorded.state)
    left = Dictionary(recorded.left.map { ($0.key, $0) }) { first, _ in first }
    rest = recorded.records[...]
    lastEqual = recorded.start
    lastDigest = recorded.records.last { $0.commit?.digest != nil }?.commit?.number
    comparesDigests = recorded.isComparable
    _ = passOthers()
    if let first = recorded.digest, comparesDigests {
      leaves = recorded.ownDigest?.leaves ?? 0
      if first.sum != recorded.ownDigest?.sum { doubtDigests() }
    }
  }

  mutating func next() -> Step? {
    guard let record = rest.popFirst(), let commit = record.commit else { return nil }
    for effect in commit.effects { left[effect.key] = effect }
    for key in commit.over { left[key] = nil }
    var effects = commit.effects.map(\.effect)
    if commit.gap == nil {
      effects = reducer(&state, commit.intent)
    } else if let recorded = commit.state {
      state = typed(recorded)
    }
    let later = passOthers()
    let divergence = hasDiverged ? nil : compare(with: commit, effects, later)
    if divergence != nil { hasDiverged = true }
    if isOpening, let recorded = commit.state { state = typed(recorded) }
    return Step(commit: commit, record: record, effects: effects, divergence: divergence)
  }

  private mutating func passOthers() -> AnyState? {
    var state: AnyState?
    while let record = rest.first, record.commit == nil {
      rest.removeFirst()
      if case .over(let keys) = record.content { for key in keys { left[key] = nil } }
      if case .state(let recorded, _, _, _) = record.content { state = recorded }
    }
    return state
  }
}

// MARK: - Comparing

extension Replay {
  private mutating func compare(
    with commit: RecordedCommit, _ effects: [any Effect], _ later: AnyState?
  ) -> Divergence? {
    allowance += 64
    let recorded: AnyState? = later ?? (commit.gap == nil ? commit.state : nil)
    var difference = coding.difference(commit, effects, showsValues: !isOpening)
    if difference == nil, let recorded { difference = self.difference(from: recorded) }
    if let difference { return Divergence(commit, lastEqual, difference) }
    if recorded == nil {
      guard let digest = commit.digest, let own = ownDigest(at: commit.number) else { return nil }
      if digest.sum != own.sum { return judge(commit, digest, own) }
    }
    lastEqual = commit.number
    return nil
  }

  private func difference(from recorded: AnyState) -> String? {
    if let digest = digest(of: recorded), digest.sum == self.digest(of: state)?.sum { return nil }
    // Recoded, because properties that the encoding leaves out are no difference.
    let recoded = (try? coding.recoded(state)) ?? state
    let diff = stateDiff(typed(recorded) as State, typed(recoded) as State)
    if diff.isEmpty { return nil }
    if !isOpening { return "\(diff)" }
    // Keys and ids in a path are values, which don't belong into a report.
    let names = Set(diff.listed.map { String($0.path.prefix { $0 != "[" }) }).sorted()
    return "the state differs" + (names.contains("") ? "" : " in \(names.joined(separator: ", "))")
  }

  private mutating func ownDigest(at commit: Int) -> Digest? {
    let isDue = !isOpening || isRepeating || allowance >= leaves || commit == lastDigest
    guard comparesDigests, isDue, let own = digest(of: state) else { return nil }
    (leaves, allowance) = (own.leaves, 0)
    return own
  }

  private mutating func doubtDigests() {
    comparesDigests = false
    doubt = """
      a changed reducer would go unnoticed, because digests of \(State.self) can't be compared: \
      a state doesn't decode to what was encoded, or its coding has changed but the format's version \
      is the same
      """
  }

  /// Finds the first commit whose digest differs, and why.
  ///
  /// - Returns: nil if the state doesn't recode to an equal digest, so the reducer may be right.
  private mutating func judge(
    _ commit: RecordedCommit, _ digest: Digest, _ own: Digest
  ) -> Divergence? {
    comparesDigests = false
    let names = StateDigest(own).difference(from: StateDigest(digest)) ?? ""
    var divergence = Divergence(
      commit, lastEqual, "the digest of the state differs\(names.isEmpty ? "" : " in " + names)")
    if isRepeating { return divergence }
    if !coding.recodes(state, to: own) {
      doubtDigests()
      return nil
    }
    var again = Replay(
      of: recorded, coding, isOpening: isOpening, isRepeating: true, reducer)
    while let step = again.next() {
      if let first = step.divergence { divergence = first }
      if step.commit.number == commit.number { break }
    }
    let isPure = self.digest(of: again.state)?.sum == own.sum
    divergence.difference += """
      . \(isPure ? "The reducer has changed" : "The reducer is impure: a second replay differs too"), \
      or the state depends on the order of a Set or a Dictionary, on a sum of floats over one, on a \
      shared object, on a property that is not encoded, or on Locale.current
      """
    return divergence
  }

  private func digest(of state: AnyState) -> Digest? { coding.digest(of: state) }
}

extension Coding {
  fileprivate func difference(
    _ commit: RecordedCommit, _ effects: [any Effect], showsValues: Bool
  ) -> String? {
    if commit.gap != nil || self.effects.isEmpty { return nil }
    var recorded = Dictionary(commit.effects.map { ($0.key.index, $0) }) { $1 }
    var replayed: [Int: KeptEffect] = [:]
    for effect in kept(effects, of: commit) {
      let (index, bytes) = (effect.key.index, written(effect))
      // Equal bytes are the fast path. A set may have another order; then the digests are equal.
      if let bytes, bytes == recorded[index].flatMap({ written($0) }) {
        recorded[index] = nil
      } else if let digests = written(effect, asDigests: true),
        digests == recorded[index].flatMap({ written($0, asDigests: true) })
      {
        recorded[index] = nil
      } else {
        replayed[index] = bytes.flatMap { try? self.effect(from: JSON($0[...])) } ?? effect
      }
    }
    if recorded.isEmpty && replayed.isEmpty { return nil }
    let diff = stateDiff(recorded.mapValues(\.effect), replayed.mapValues(\.effect))
    if diff.isEmpty { return nil }
    if showsValues { return "effects that must happen: \(diff)" }
    let names = Set(
      (Array(recorded.values) + replayed.values).compactMap { name(of: $0.effect)?.name })
    return "effects that must happen differ: \(names.sorted().joined(separator: ", "))"
  }

  private func written(_ effect: KeptEffect, asDigests: Bool = false) -> [UInt8]? {
    var line = LineBuffer()
    line.writesDigests = asDigests
    return (try? write(effect, to: &line)).map { line.bytes }
  }
}
