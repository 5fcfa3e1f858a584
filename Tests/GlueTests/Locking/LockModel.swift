import Glue

/// Threads that take a lock and release it, again and again, one atomic step after another.
///
/// It makes the exchanges of the real lock. Beside them it keeps the state that the real lock
/// leaves to the processor and to the C library: the word, the tokens, and where each thread is.
struct LockModel: Hashable {
  enum Place: Hashable {
    case outside, holding

    /// About to exchange the word.
    case contending(LockAttempt)

    /// About to take a token.
    case sleeping(LockAttempt)

    /// Has taken away a marked word, and is about to look for a token.
    case looking

    /// Has seen no token, and is about to add one.
    case adding
  }

  /// Whether a signal may end a sleep.
  let hasSignals: Bool

  private(set) var word: UInt = 0
  private(set) var tokens = 0
  private(set) var places: [Place]

  init(threads: Int, hasSignals: Bool) {
    self.hasSignals = hasSignals
    places = Array(repeating: .outside, count: threads)
  }

  /// All states that some order of steps leads to.
  func reachable() -> Set<LockModel> {
    var known: Set = [self]
    var new = [self]
    while let state = new.popLast() {
      new += places.indices.flatMap(state.successors).filter { known.insert($0).inserted }
    }
    return known
  }

  /// The states that a thread's next step can lead to; none while it sleeps.
  private func successors(of thread: Int) -> [LockModel] {
    var next = self
    if case .sleeping(let attempt) = places[thread], tokens == 0 {
      next.places[thread] = .contending(attempt)
      return hasSignals ? [next] : []
    }
    next.places[thread] = next.step(thread)
    return [next]
  }

  /// Makes the next step of a thread; returns where it is then.
  private mutating func step(_ thread: Int) -> Place {
    switch places[thread] {
    case .outside: return lock(thread)
    case .contending(let attempt): return contend(attempt)
    case .sleeping(let attempt):
      tokens -= 1
      return .contending(attempt)
    case .holding:
      defer { word = 0 }
      return word & LockAttempt.mark == 0 ? .outside : .looking
    case .looking: return tokens > 0 ? .outside : .adding
    case .adding:
      tokens += 1
      return .outside
    }
  }

  private mutating func lock(_ thread: Int) -> Place {
    if word != 0 { return .contending(LockAttempt(by: number(of: thread), on: word)) }
    word = number(of: thread)
    return .holding
  }

  private mutating func contend(_ attempt: LockAttempt) -> Place {
    var attempt = attempt
    let original = word
    let isExchanged = original == attempt.expected
    if isExchanged { word = attempt.desired }
    switch attempt.next(after: (isExchanged, original)) {
    case .locked: return .holding
    case .sleep: return .sleeping(attempt)
    case .retry: return .contending(attempt)
    }
  }

  func number(of thread: Int) -> ThreadID { ThreadID(thread + 1) * 16 }
}

extension LockModel {
  /// A state that must never be reached, if it was.
  var fault: String? {
    let holders = places.indices.filter { places[$0] == .holding }.map(number)
    if holders.count > 1 { return "\(holders) hold the lock" }
    if LockAttempt.holder(word) != holders.first ?? 0 { return "the word names another" }
    if tokens > places.count { return "there are \(tokens) tokens" }
    return isLost ? "a wake-up is lost" : nil
  }

  /// Whether a thread sleeps though no other one is about to do anything.
  private var isLost: Bool {
    tokens == 0
      && places.contains { if case .sleeping = $0 { true } else { false } }
      && places.allSatisfy {
        if case .sleeping = $0 { true } else { $0 == .outside }
      }
  }
}
