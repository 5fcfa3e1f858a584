import Glue
import GlueLogging

/// Makes states of what was recorded, by running reducers and nothing else, and compares them with
/// the states, digests and effects that were recorded besides.
struct Replay<State: Codable & Sendable>: Sequence, IteratorProtocol {
  struct Step {
    let commit: RecordedCommit

    /// The record that has it.
    let record: Record

    /// What the reducer returned; where the intent was not recorded, the effects that were.
    let effects: [any Effect]

    /// What differs, in the first commit that goes another way than what was recorded.
    let divergence: Divergence?
  }

  private(set) var state: State
  private(set) var left: [EffectKey: KeptEffect]
  private(set) var doubt: String?

  private let recorded: Recorded
  private let coding: Coding
  private let reducer: Reducer<State>

  /// Whether recorded states replace others, and large states are digested only now and then.
  private let isOpening: Bool

  /// Whether this only looks for the first digest that another replay has found to differ.
  private let isRepeating: Bool
  private var rest: ArraySlice<Record>

  /// The last commit up to which all that was recorded is what replaying gives.
  private var lastEqual: Int
  private var hasDiverged = false
  private var comparesDigests: Bool
  private let lastDigest: Int?
  private var mismatch: (commit: RecordedCommit, own: Digest, lastEqual: Int)?

  /// How many values the last digest took, and how many the next may take.
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
    comparesDigests = !recorded.isOld
    _ = passOthers()
    if let first = recorded.digest, comparesDigests {
      let own = digest(of: state)
      leaves = own?.leaves ?? 0
      if first.sum != own?.sum { doubtDigests() }
    }
  }

  mutating func next() -> Step? {
    guard let record = rest.popFirst(), let commit = record.commit else { return nil }
    for effect in commit.effects { left[effect.key] = effect }
    for key in commit.over { left[key] = nil }
    var effects = commit.effects.map(\.effect)
    if !commit.isGap {
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
    let recorded: AnyState? = later ?? (commit.isGap ? nil : commit.state)
    var difference = coding.difference(commit, effects)
    if difference == nil, let recorded { difference = self.difference(from: recorded) }
    if let difference { return Divergence(commit, lastEqual, difference) }
    if recorded != nil { lastEqual = commit.number } else { compareDigest(of: commit) }
    guard let mismatch, comparesDigests, !isRepeating else { return nil }
    comparesDigests = false
    return judge(mismatch.commit, mismatch.own, mismatch.lastEqual)
  }

  private func difference(from recorded: AnyState) -> String? {
    if let digest = digest(of: recorded), digest.sum == self.digest(of: state)?.sum { return nil }
    // What an encoding leaves out is no difference.
    let recoded = (try? coding.recoded(state)) ?? state
    let diff = stateDiff(typed(recorded) as State, typed(recoded) as State)
    return diff.isEmpty ? nil : "\(diff)"
  }

  private mutating func compareDigest(of commit: RecordedCommit) {
    let isThorough = !isOpening || isRepeating || allowance >= leaves
    guard comparesDigests, mismatch == nil, let digest = commit.digest,
      isThorough || commit.number == lastDigest, let own = self.digest(of: state)
    else { return }
    (leaves, allowance) = (own.leaves, 0)
    if digest.sum == own.sum {
      lastEqual = commit.number
    } else {
      mismatch = (commit, own, lastEqual)
    }
  }

  private mutating func doubtDigests() {
    comparesDigests = false
    doubt = """
      a changed reducer would go unnoticed, for digests of \(State.self) can't be compared: \
      decoding one doesn't give what was encoded, or its coding has changed without a new version:
      """
  }

  /// Finds the first commit whose digest differs, and why.
  ///
  /// - Returns: nil if that says nothing of the reducer.
  private mutating func judge(
    _ found: RecordedCommit, _ own: Digest, _ lastEqual: Int
  ) -> Divergence? {
    // A set of two elements that is encoded as a list keeps its order in every other copy, and in
    // each that takes the place of one in memory: so many are looked at, and kept until then.
    let copies = (0..<16).map { _ in try? coding.recoded(state) }
    if copies.contains(where: { $0.flatMap(digest)?.sum != own.sum }) {
      doubtDigests()
      return nil
    }
    var again = Replay(
      of: recorded, coding, isOpening: isOpening, isRepeating: true, reducer)
    while let step = again.next(), step.commit.number < found.number {}
    let first = again.mismatch ?? (found, own, lastEqual)
    let isPure = digest(of: again.state)?.sum == own.sum
    let names = first.commit.digest.map(first.own.differingProperties) ?? []
    return Divergence(
      first.commit, first.lastEqual,
      """
      the digest of the state differs\(names.isEmpty ? "" : " in " + names.joined(separator: ", ")). \
      \(isPure ? "The reducer has changed" : "The reducer is impure: a second replay differs too"), \
      or the state depends on the order of a Set or a Dictionary, on a sum of floats over one, on a \
      shared object, on a property that is not coded, or on Locale.current
      """)
  }

  private func digest(of state: AnyState) -> Digest? { try? Digest.of(coded(state)) }
}

extension Coding {
  fileprivate func difference(_ commit: RecordedCommit, _ effects: [any Effect]) -> String? {
    if commit.isGap || self.effects.isEmpty { return nil }
    var recorded = Dictionary(commit.effects.map { ($0.key.index, $0) }) { $1 }
    var replayed: [Int: KeptEffect] = [:]
    for (index, effect) in effects.enumerated() where name(of: effect) != nil {
      let key = EffectKey(commit: commit.number, index: index)
      let effect = KeptEffect(key: key, time: commit.time, effect: effect)
      let bytes = written(effect)
      // Most are written alike; others may yet be the same as they would be read, such as sets in
      // another order.
      if let bytes, bytes == recorded[index].flatMap(written) {
        recorded[index] = nil
      } else {
        replayed[index] = bytes.flatMap { try? self.effect(from: JSON($0[...])) } ?? effect
      }
    }
    if recorded.isEmpty && replayed.isEmpty { return nil }
    let diff = stateDiff(recorded.mapValues(\.effect), replayed.mapValues(\.effect))
    return diff.isEmpty ? nil : "effects that must happen: \(diff)"
  }

  private func written(_ effect: KeptEffect) -> [UInt8]? {
    var line = LineBuffer()
    return (try? write(effect, to: &line)).map { line.bytes }
  }
}
