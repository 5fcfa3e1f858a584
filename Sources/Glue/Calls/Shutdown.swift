extension Store {
  /// Ends all effects for good, and waits until all deliveries are made.
  ///
  /// At one instant the store stops taking effects and cancels those that wait or run, so no intent
  /// that they dispatch is reduced any more (G11). Then it waits until their tasks have returned,
  /// and until everything queued for synchronous handlers and subscribers has been delivered. That
  /// includes calls moved to a queue or to the main actor. So a program whose `main` ends with it
  /// loses nothing that was decided before. It doesn't wait for deliveries that a
  /// ``Delivery/custom(_:)`` loop has not begun, because it can't know whether the loop still runs.
  /// Keep such a loop running until ``delivered()`` returns.
  ///
  /// The state stays readable, and later intents still reduce and notify (G2), without their
  /// effects. The store keeps its handlers until it is released. Calling it again waits again, and
  /// if the calling task is canceled, it returns at once.
  ///
  /// A task that ignores its cancellation delays the return, as does a handler that doesn't return:
  /// see ``shutdown(finishing:within:)``. An asynchronous effect of the same store would wait for
  /// itself; that stops the program with a message that names the cure. A call in a child task of
  /// an effect is not detected.
  public nonisolated(nonsending) func shutdown() async {
    await endEffects(until: nil) { $0.close() }
    enqueueEndOfLog()
    await awaitDeliveries(until: nil)
  }

  /// Lets effects finish, then cancels them, and waits no longer than a given time.
  ///
  ///     let left = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
  ///     for line in left { log("not ended: \(line)") }
  ///
  /// At one instant the store stops taking effects. Effects that run, are queued, or wait for
  /// earlier ones may finish; the intents that they dispatch are reduced, without effects. Effects
  /// that wait for a time, such as a debounced one, are canceled at once and returned, so that they
  /// aren't lost silently.
  ///
  /// After the first time, it cancels the rest like ``shutdown()``, which promises the remainder.
  /// After the second, it returns, even if some work has not ended. If the calling task is
  /// canceled, both times end at once.
  ///
  /// Each call, overlapping or later, returns everything that is left at its end, each effect once.
  /// It doesn't wait for deliveries that a ``Delivery/custom(_:)`` loop has not begun, but it
  /// returns them.
  ///
  /// - Parameters:
  ///   - finishing: how long effects may continue, on the store's clock.
  ///   - limit: how long this may take in all, on the store's clock.
  /// - Returns: the work that hasn't ended or never started, a line each: effects, deliveries and
  ///   moved calls. Empty if nothing is left.
  @discardableResult
  public nonisolated(nonsending) func shutdown(
    finishing: Duration, within limit: Duration
  ) async -> [String] {
    let start = timer.elapsed()
    let (finishing, limit) = (min(finishing, longestTime), min(limit, longestTime))
    await endEffects(until: start + min(finishing, limit)) { effects in
      effects.keepUnstarted()
      effects.beginToFinish()
    }
    await awaitDeliveries(until: start + min(finishing, limit))
    await endEffects(until: start + limit) { $0.close() }
    enqueueEndOfLog()
    let isDelivered = await awaitDeliveries(until: start + limit) && delivery.isSure
    // Descriptions are user code, so the outbox is copied under the lock, and read after.
    var (unstarted, notReturned, outbox) = core.withLock { core in
      (
        core.runtime.effects.extras?.unstarted ?? [], core.runtime.effects.notReturned,
        isDelivered ? [] : [core.runtime.outbox]
      )
    }
    defer {
      release(&unstarted)
      release(&notReturned)
      release(&outbox)
    }
    return unstarted.map { "\(text(of: $0.effect)) has not started" }
      + notReturned.map { "\(text(of: $0.effect)) \($0.words)" }
      + outbox.flatMap(\.undelivered)
  }

  /// Takes no more effects, and waits until those that may finish have ended or, if canceled, their
  /// tasks have returned.
  private nonisolated(nonsending) func endEffects(
    until deadline: Duration?, _ stop: (inout EffectEngine) -> Void
  ) async {
    if currentEffect(.shutdown) != nil { stopForWaitingForItself("shutdown()") }
    let waiter = change(.shutdown) { core, _ -> Waiter? in
      core.runtime.effects.checkForForgottenResume()
      stop(&core.runtime.effects)
      core.runtime.effects.releaseGroups()
      return core.runtime.wait(until: .ended)
    }
    await wait(for: waiter, until: deadline)
  }

  private func enqueueEndOfLog() {
    guard let log = core.withLock({ $0.runtime.log }) else { return }
    enqueueRecord(isLast: false) { log.appendEnd(with: $0, after: $1) }
  }

  /// Waits for pending deliveries that are certain to be made, and for calls in flight.
  ///
  /// - Returns: whether there is nothing left to wait for.
  @discardableResult
  private nonisolated(nonsending) func awaitDeliveries(until deadline: Duration?) async -> Bool {
    let waiter = change(.shutdown) { [delivery, passMark] core, thread in
      delivery.isSure
        ? core.runtime.waitForDeliveries(by: thread, passing: passMark)
        : core.runtime.waitForRunningBody()
    }
    return await wait(for: waiter, until: deadline)
  }
}

extension EffectInFlight {
  fileprivate var words: String {
    switch phase {
    case .queued, .due, .taskless: "is queued"
    case .held, .waiting: "waits for its time"
    case .blocked: "waits for an earlier one to end"
    case .starting, .running: "runs"
    case .unfinished: "waits to be resumed"
    case .cancelled, .over: "was canceled, but has not returned"
    }
  }
}

extension Outbox {
  /// The pending deliveries and calls in flight: a line each, or one for all that have no names.
  var undelivered: [String] {
    var lines = takenCount > 0 ? ["A delivery is under way"] : []
    if takenCount > 1 { lines[0] += ", and up to \(takenCount - 1) wait behind it" }
    var others = 0
    for entry in entries {
      switch entry.call {
      case .effect(let effect, _): lines.append("\(text(of: effect)) is queued")
      case .turn(let turn):
        if !turn.isRegistered { lines.append("\(text(of: turn.effect)) is queued") }
      case .closure, .value: others += 1
      case .mark, .record, nil: break
      }
    }
    if others > 0 { lines.append("Other deliveries that are queued: \(others)") }
    if !calls.isEmpty {
      lines.append(
        "Calls that were moved to a queue or the main actor and have not returned: \(calls.count)")
    }
    return lines
  }
}

/// An effect in a line of what is left, with the type that the description of a case leaves out.
private func text(of effect: any Effect) -> String {
  let isCase = Mirror(reflecting: effect).displayStyle == .enum
  let type = isCase && !(effect is any CustomStringConvertible) ? "\(type(of: effect))." : ""
  return type + String("\(effect)".prefix(200))
}
