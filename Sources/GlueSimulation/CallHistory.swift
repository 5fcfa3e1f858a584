internal import Glue

/// The calls of clients, and the answers that they got, in the order in which they began and ended.
///
/// ``World/expectLinearizable(_:from:model:)`` checks it. <doc:SimulatingAProgram> shows both.
public final class CallHistory<Call: Equatable & Sendable, Answer: Equatable & Sendable>: Sendable {
  private enum Event { case began(Int), answered(Int) }

  private struct Content {
    var calls: [Call] = []
    var answers: [Int: Answer] = [:]
    var events: [Event] = []

    /// Whether an earlier call without an answer can stand for another one.
    func isTwin(_ earlier: Int, _ call: Int) -> Bool {
      answers[earlier] == nil && calls[earlier] == calls[call]
    }
  }

  private let content = Locked(Content())

  /// Makes a history without calls.
  public init() {}

  /// Notes a call, makes it, and notes the answer.
  ///
  /// An error is no answer: the call may have been carried out, may be later, or may never be. If the
  /// service refuses a call for sure, return that as an answer.
  ///
  /// - Parameters:
  ///   - call: what the client asks for, as the model gets it.
  ///   - body: makes the call.
  /// - Returns: the answer.
  /// - Throws: the body's error.
  public nonisolated(nonsending) func call(
    _ call: Call, _ body: () async throws -> Answer
  ) async rethrows -> Answer {
    let number = begin(call)
    let answer = try await body()
    end(number, answer)
    return answer
  }

  func begin(_ call: Call) -> Int {
    content.withLock { content in
      let number = content.calls.count
      content.calls.append(call)
      content.events.append(.began(number))
      return number
    }
  }

  func end(_ number: Int, _ answer: Answer) {
    content.withLock { content in
      content.answers[number] = answer
      content.events.append(.answered(number))
    }
  }

  /// A state that may have been reached before an answer.
  private struct Possibility<State: Equatable> {
    var state: State

    /// The calls that were carried out, of those that had no answer yet.
    var carriedOut: Set<Int> = []
  }

  /// Says which answer no order of the calls explains; nil if there is an order for all.
  ///
  /// It follows Wing and Gong ("Testing and Verifying Concurrent Objects", 1993) with Lowe's
  /// just-in-time order ("Testing for Linearizability", 2017): a call is carried out only when an
  /// answer needs it.
  func problem<State: Equatable>(
    from state: State, _ model: (inout State, Call) -> Answer
  ) -> String? {
    let history = content.withLock { $0 }
    var (open, possible) = ([Int](), [Possibility(state: state)])
    for event in history.events {
      let answered: Int
      switch event {
      case .began(let call):
        open.append(call)
        continue
      case .answered(let call): answered = call
      }
      var (reached, explained) = (possible, [Possibility<State>]())
      var index = 0
      while index < reached.count {
        let before = reached[index]
        index += 1
        if before.carriedOut.contains(answered) {
          explained.append(before)
          continue
        }
        let waiting = open.filter { !before.carriedOut.contains($0) }
        for (index, call) in waiting.enumerated() {
          if history.answers[call] == nil,
            waiting[..<index].contains(where: { history.isTwin($0, call) })
          {
            continue
          }
          var after = before
          let answer = model(&after.state, history.calls[call])
          if let known = history.answers[call], known != answer { continue }
          after.carriedOut.insert(call)
          // A call without an answer needn't be carried out, so it helps only if it changes something.
          let isKnown = reached.contains { known in
            known.carriedOut.count <= after.carriedOut.count && known.state == after.state
              && known.carriedOut.isSubset(of: after.carriedOut)
              && after.carriedOut.subtracting(known.carriedOut)
                .allSatisfy { history.answers[$0] == nil }
          }
          if !isKnown { reached.append(after) }
        }
        if reached.count > 1_000 { return tooMany(open, history) }
      }
      if explained.isEmpty { return unexplained(answered, open, history, possible, model) }
      for index in explained.indices { explained[index].carriedOut.remove(answered) }
      open.removeAll { $0 == answered }
      possible = explained
    }
    return nil
  }

  private func unexplained<State>(
    _ number: Int, _ open: [Int], _ history: Content, _ possible: [Possibility<State>],
    _ model: (inout State, Call) -> Answer
  ) -> String {
    let (call, answer) = (history.calls[number], history.answers[number]!)
    var state = possible[0].state
    let expected = model(&state, call)
    let others = open.filter { $0 != number }.map { other in
      "\n  \(history.calls[other]): "
        + (history.answers[other].map { "answered \($0)" } ?? "not answered")
    }
    return """
      no order of the calls explains that \(call) was answered \(answer)
        the model answers \(expected) in \(possible[0].state)\
      \(possible.count > 1 ? ", one of \(possible.count) possible states" : "")
      """ + (others.isEmpty ? "" : "\n  at the same time:" + others.joined())
  }

  private func tooMany(_ open: [Int], _ history: Content) -> String {
    "the calls have too many orders to look for one: \(open.count) were open at once, "
      + "\(open.count { history.answers[$0] == nil }) of them without an answer ever; let clients "
      + "make fewer, or note the calls about each thing in a history of its own"
  }
}

extension World {
  /// Fails the simulation unless it finds that calls were answered as if they had come one after the
  /// other.
  ///
  /// The order must be one in which each call was carried out between its begin and its answer. That
  /// is *linearizability*.
  ///
  /// - Parameters:
  ///   - history: the calls.
  ///   - state: the state before the first one.
  ///   - model: carries out a call, often by the program's own reducer, and returns the answer that it
  ///     must get.
  /// - Complexity: exponential in the number of calls that are open at once. A call without an answer
  ///   stays open. Where more than 1,000 states are possible at once, the simulation fails, and says so.
  public func expectLinearizable<State: Equatable, Call, Answer>(
    _ history: CallHistory<Call, Answer>, from state: State,
    model: (inout State, Call) -> Answer
  ) {
    if let problem = history.problem(from: state, model) { fail(problem) }
  }
}
