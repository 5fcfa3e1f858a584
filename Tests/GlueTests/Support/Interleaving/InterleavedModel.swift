/// A model of a store, written for one thread.
///
/// It follows the lines of a run and predicts each call: when it must come, with which value, and
/// on which thread.
///
/// As the lines are in the order in which the calls took effect, the model predicts exactly. The
/// one freedom of a store, a call that has begun while its subscription is canceled, does not
/// arise: no step separates the check of the subscription from the call.
struct InterleavedModel {
  /// The error of a run, and the line that shows it.
  struct Fault: Error, CustomStringConvertible {
    let description: String
    var line: Int?

    static func check(_ condition: Bool, _ fault: @autoclosure () -> String) throws {
      if !condition { throw Fault(description: fault()) }
    }
  }

  private var state = Journal()
  private var subscribers: [(number: Int, watch: Watch)] = []
  private var handlers: [(number: Int, pitch: Pitch?)] = []
  private var deliveries: InterleavedDeliveries

  private init(_ posting: InterleavedRun.Posting) {
    deliveries = InterleavedDeliveries(isImmediate: posting == .immediate)
  }

  /// Follows a run to its end.
  ///
  /// - Parameters:
  ///   - lines: what happened.
  ///   - posting: the store's delivery.
  ///   - commits: what the store says at the end; nil if it was gone by then.
  /// - Returns: the rare cases that the run has reached.
  /// - Throws: the first fault.
  static func follow(
    _ lines: [Line], _ posting: InterleavedRun.Posting, commits: [Int]?
  ) throws(Fault) -> Set<RareCase> {
    var model = InterleavedModel(posting)
    var line: Int?
    do {
      for index in lines.indices {
        line = index
        try model.follow(lines[index].event, on: lines[index].thread)
      }
      line = nil
      try Fault.check(commits == nil || commits == model.state.commits, "G1: not the commits")
      try model.deliveries.checkEnd()
    } catch {
      throw Fault(description: "\(error)", line: line)
    }
    return model.deliveries.rareCases
  }

  private mutating func follow(_ event: Event, on thread: Int) throws {
    switch event {
    case .dispatches(let move): commit(move, on: thread)
    case .subscribes(let number, let watch):
      subscribers.append((number, watch))
      deliveries.queue(.tell(subscriber: number, state[watch]))
      deliveries.begin(in: number, on: thread)
    case .cancels(let number):
      subscribers.removeAll { $0.number == number }
      deliveries.cancel(number, on: thread)
    case .adds(let number, let pitch): handlers.append((number, pitch))
    case .reads(let commits):
      try Fault.check(commits == state.commits, "G2: the commits were \(state.commits)")
    case .dispatchesInVain: deliveries.rareCases.insert(.callbackOutlivesStore)
    case .forgetsStore: deliveries.forgetStore()
    case .returns, .begins, .ends, .posted, .runsBody, .ranBody, .dropsBody:
      try deliveries.follow(event, on: thread)
    }
  }

  private mutating func commit(_ move: Move, on thread: Int) {
    let old = state
    _ = journal(state: &state, move: move)
    for subscriber in subscribers
    where subscriber.watch == .all || state[subscriber.watch] != old[subscriber.watch] {
      deliveries.queue(.tell(subscriber: subscriber.number, state[subscriber.watch]))
    }
    for (index, pitch) in move.sounds.enumerated() {
      let takers = handlers.filter { $0.pitch == nil || $0.pitch == pitch }
      let number = move.numberOfSound(index)
      for taker in takers { deliveries.queue(.handle(handler: taker.number, number)) }
    }
    deliveries.begin(in: move.number, on: thread)
  }
}

/// The coverage that a test of interleavings must reach to be worth its time.
enum RareCase: CaseIterable {
  case queuedCallIsCancelled, callIsCancelledFromWithin, callIsCancelledWhileItRuns
  case callIsMadeForAnotherThread, storeIsForgottenWhileDelivering, callbackOutlivesStore
  case bodyIsPostedByBody, bodyIsDropped, bodyIsRunAgain

  static let withoutBodies: Set<RareCase> =
    Set(allCases).subtracting([.bodyIsPostedByBody, .bodyIsDropped, .bodyIsRunAgain])
}

extension Journal {
  fileprivate subscript(watch: Watch) -> Int {
    switch watch {
    case .all: commits.count
    case .left: left
    case .right: right
    }
  }
}
