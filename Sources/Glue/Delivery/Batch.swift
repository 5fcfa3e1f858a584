/// One delivery in the outbox.
@usableFromInline
struct Entry: Sendable {
  /// Nil once taken, so that the call is released right after it was made.
  var call: Call?

  /// Whether another thread than the draining one caused it (G12).
  let isForeign: Bool
}

/// The call that a delivery makes.
///
/// The most frequent kinds store their values here, because allocating a closure would be a third
/// of their cost.
@usableFromInline
enum Call: Sendable {
  case closure(@Sendable () -> Void)

  /// Notifies a subscriber of a small value.
  case value(any Sendable, @Sendable (any Sendable) -> Void)

  /// Calls the synchronous handlers of an effect.
  case effect(any Effect, [AnyHandler])

  /// Gives an effect its turn.
  case turn(EffectRun)

  /// Marks that everything enqueued before it has been delivered.
  case mark

  /// Writes the next record of the log of commits.
  case record(any CommitLog)
}

/// The deliveries that a drainer has taken out of the outbox.
@usableFromInline
struct Batch: Sendable {
  var entries: [Entry] = []
  private var next = 0

  /// How many foreign deliveries may still be made, across all batches of one call (G12).
  private var foreignLeft: Int

  /// How many deliveries one call has taken out so far.
  @usableFromInline var count = 0

  /// Whether the next delivery is foreign, unless ``deliver()`` returns otherwise.
  var servesOthers = false

  init(limit: Int = 0) { foreignLeft = limit }

  @usableFromInline
  enum Outcome {
    /// All deliveries were made; the batch is empty.
    case finished

    /// A mark was reached.
    case marked

    /// The next delivery is foreign and the ones before were not, or the reverse.
    case switched

    /// The next delivery is foreign, and the limit of these was reached.
    case limited
  }

  /// Makes deliveries in order, and releases each before the next.
  @usableFromInline
  mutating func deliver() -> Outcome {
    while next < entries.count {
      if entries[next].isForeign != servesOthers {
        servesOthers.toggle()
        return .switched
      }
      if servesOthers {
        if foreignLeft == 0 { return .limited }
        foreignLeft -= 1
      }
      if takeNext()?.make() == true { return .marked }
    }
    next = 0
    if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
    return .finished
  }

  /// Moves the next delivery out.
  ///
  /// The last one isn't overwritten, which saves a batch of one a fifth of its cost.
  private mutating func takeNext() -> Call? {
    if next == entries.count - 1 { return entries.removeLast().call }
    next += 1
    return entries[next - 1].call.take()
  }

  /// Allows that many foreign deliveries from now on.
  mutating func renew(limit: Int) {
    foreignLeft = limit
    count = 0
  }
}

extension Call {
  /// Makes the call, and returns whether it was a mark.
  fileprivate consuming func make() -> Bool {
    switch self {
    case .closure(let body): body()
    case .value(let value, let notify): notify(value)
    case .effect(let effect, let handlers):
      for index in handlers.indices {
        if case .sync(let handle) = handlers[index].work { handle(effect, nil) }
      }
    case .turn(let run): run.runner.takeTurn(of: run)
    case .mark: return true
    case .record(let log): log.writeNext()
    }
    return false
  }
}
