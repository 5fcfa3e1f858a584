/// One delivery.
@usableFromInline
struct Entry: Sendable {
  /// What the delivery is; nil where a journal writes a record, and once it is taken out to be
  /// made, so that all of it is released then.
  var call: Call?

  /// Whether it was caused by another thread than the one that delivers (G12).
  let isForeign: Bool
}

/// A call that a delivery makes.
///
/// Those that most deliveries are have their values here instead of in a closure, whose allocation
/// would be a third of their cost.
@usableFromInline
enum Call: Sendable {
  case closure(@Sendable () -> Void)

  /// Tells a subscriber a small value.
  case telling(any Sendable, @Sendable (any Sendable) -> Void)

  /// Calls the synchronous handlers of an effect.
  case handling(any Effect, [Handling])

  /// Delivers an effect that is more than calls of synchronous handlers.
  case turn(any Turn)

  /// Lets those go on who wait for what was queued before.
  case flush(Flush, @Sendable (Flush) -> Void)

  consuming func make() {
    switch self {
    case .closure(let deliver): deliver()
    case .telling(let value, let tell): tell(value)
    case .handling(let effect, let handlers):
      for index in handlers.indices {
        if case .sync(let handle) = handlers[index].work { handle(effect, nil) }
      }
    case .turn(let turn): turn.take()
    case .flush(let flush, let pass): pass(flush)
    }
  }
}

/// What the one who delivers has taken out of the outbox.
@usableFromInline
struct Batch: Sendable {
  /// The largest buffer, in entries, that is kept for a later batch.
  private static let keptCapacity = 1024

  var entries: [Entry] = []
  private var next = 0

  /// What a journal writes in the places of the entries without a call, oldest first.
  ///
  /// Nothing behind one is delivered before. They are not in the entries, which all deliveries have.
  var records: [(any Written)?] = []
  private var nextRecord = 0

  /// How many records were written before their place has come.
  private var writtenAhead = 0

  /// How many deliveries caused by other threads may still be made, in all batches of one call
  /// (G12).
  private var foreignLeft = 0

  /// How many deliveries were taken out for one call so far.
  @usableFromInline var count = 0

  /// Whether the next delivery, unless ``deliver()`` says otherwise, was caused by another thread.
  var servesOthers = false

  /// Makes deliveries in order, releasing each before the next, for as long as their turn lasts.
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
      if takeNext()?.make() == nil { passRecord() }
    }
    next = 0
    if !entries.isEmpty {
      entries.removeAll(keepingCapacity: entries.capacity <= Batch.keptCapacity)
    }
    if !records.isEmpty {
      records = []
      nextRecord = 0
    }
    return .finished
  }

  /// Has the next record be written, with those that follow it, so that many share one write.
  private mutating func passRecord() {
    if writtenAhead == 0 {
      let end = min(nextRecord + 1000, records.count)
      var all = records[nextRecord..<end].compactMap { $0 }
      writtenAhead = all[0].write(all) { records[end...].compactMap { $0 } }
      for _ in 0..<writtenAhead {
        records[nextRecord] = nil
        nextRecord += 1
      }
      release(&all)
    }
    writtenAhead -= 1
  }

  /// Moves the next delivery out.
  ///
  /// The last one leaves no place to be cleared, which saves a batch of one a fifth of its cost.
  private mutating func takeNext() -> Call? {
    if next == entries.count - 1 { return entries.removeLast().call }
    next += 1
    return entries[next - 1].call.take()
  }

  @usableFromInline
  enum Outcome {
    /// All deliveries were made; the batch is empty.
    case finished

    /// The next one was caused by another thread, or again by the one that delivers.
    case switched

    /// Too many that other threads caused have been made.
    case limited
  }

  /// Lets so many deliveries caused by other threads be made from now on.
  mutating func renew(limit: Int) {
    foreignLeft = limit
    count = 0
  }
}
