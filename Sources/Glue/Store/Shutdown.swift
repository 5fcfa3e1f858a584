extension Store {
  /// Ends all effects, for good, and waits until nothing of them and no delivery is left.
  ///
  /// At one instant the store stops taking effects and cancels those that wait or run, so that
  /// nothing that they dispatch is reduced any more (G11). Then this waits until their tasks have
  /// returned, and until all that was queued for synchronous handlers and subscribers has been
  /// delivered, calls that were moved to a queue or to the main actor included: a program whose
  /// `main` ends with it has lost nothing that was decided before. It does not wait for the
  /// deliveries of a ``Delivery/custom(_:)`` loop that has not begun them, because it cannot know
  /// whether the loop still runs: such a loop runs until ``delivered()`` returns.
  ///
  /// The state stays readable, and later intents still reduce and notify (G2), without their
  /// effects. The store keeps its handlers until it goes: what they hold is freed with its last
  /// reference. Calling it again waits again, and if the calling task is cancelled, it returns at
  /// once.
  ///
  /// An effect's task that does not heed its cancellation keeps this waiting, as does a handler
  /// that does not return: see ``shutdown(finishing:within:)``. An asynchronous effect of the same
  /// store would wait for itself; that stops the program with a message that names the cure. In a
  /// child task of an effect's it is not detected.
  public nonisolated(nonsending) func shutdown() async {
    stopTakingEffects { $0.close() }
    await awaitEnd(until: nil)
    enqueueEndOfLog()
    await awaitDeliveries(until: nil)
  }

  /// Lets effects end, then cancels them, and waits for the end no longer than a given time.
  ///
  ///     let left = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
  ///     for line in left { log("not ended: \(line)") }
  ///
  /// At one instant the store stops taking effects. Those that run, are queued, or wait for earlier
  /// ones may end by themselves; what they dispatch is reduced, without effects. Those that wait
  /// for a time, such as a debounced one, are cancelled at once and returned, so that they are not
  /// lost unseen. When the first time is over, the rest is cancelled as by ``shutdown()``, which
  /// promises the remainder. When the second is over it returns, whatever has not ended. If the
  /// calling task is cancelled, both times are over at once.
  ///
  /// Each call, overlapping or later, returns everything that is left at its end, each effect once.
  /// It doesn't wait for deliveries that a ``Delivery/custom(_:)`` loop has not begun, but it
  /// returns them.
  ///
  /// - Parameters:
  ///   - finishing: how long effects may go on, on the store's clock.
  ///   - limit: how long this may take in all, on the store's clock.
  /// - Returns: what has not ended or never started, a line each: effects, deliveries and calls
  ///   that were moved. Empty if nothing is left.
  @discardableResult
  public nonisolated(nonsending) func shutdown(
    finishing: Duration, within limit: Duration
  ) async -> [String] {
    let start = timer.elapsed()
    stopTakingEffects { effects in
      effects.keepUnstarted()
      effects.beginToFinish()
    }
    await awaitDeliveries(until: start + min(finishing, limit))
    await awaitEnd(until: start + min(finishing, limit))
    stopTakingEffects { $0.close() }
    await awaitEnd(until: start + limit)
    enqueueEndOfLog()
    let isDelivered = await awaitDeliveries(until: start + limit) && delivery.isSure
    let (unstarted, notReturned, undelivered) = core.withLock { core in
      (
        core.work.effects.unstarted ?? [], core.work.effects.notReturned,
        core.work.outbox.undelivered
      )
    }
    return unstarted.map { "\(text(of: $0.effect)) has not started" }
      + notReturned.map { "\(text(of: $0.effect)) \($0.words)" }
      + (isDelivered ? [] : undelivered)
  }

  private func stopTakingEffects(_ stop: (inout EffectEngine) -> Void) {
    change(.shutdown) { core, thread in
      if core.work.effects.current != nil { stopForWaitingForItself("shutdown()") }
      core.work.effects.lookForForgottenResume()
      stop(&core.work.effects)
      core.work.effects.makeDue()
      core.work.enqueueDue(by: thread)
    }
  }

  /// Waits until the effects that were let go on are over or, if they were cancelled, their tasks
  /// have returned.
  private nonisolated(nonsending) func awaitEnd(until deadline: Duration?) async {
    let waiter = core.withLock { $0.work.effects.hasEnded ? nil : $0.work.wait(until: .ended) }
    await wait(for: waiter, until: deadline)
  }

  /// Waits for what is queued, where it is known to be delivered, and for calls in flight.
  ///
  /// - Returns: whether there is nothing left to wait for.
  @discardableResult
  private nonisolated(nonsending) func awaitDeliveries(until deadline: Duration?) async -> Bool {
    let waiter = change(.shutdown) { [delivery] core, thread in
      delivery.isSure ? core.work.waitForDeliveries(by: thread) : core.work.waitForRunningBody()
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
    case .left: "waits to be resumed"
    case .cancelled, .over: "was cancelled, but has not returned"
    }
  }
}

extension Outbox {
  /// What has not been delivered, or has not returned: a line each, or for all that have no names.
  var undelivered: [String] {
    var lines = takenCount > 0 ? ["A delivery is under way"] : []
    if takenCount > 1 { lines[0] += ", and up to \(takenCount - 1) wait behind it" }
    var others = 0
    for entry in entries {
      switch entry.call {
      case .effect(let effect, _): lines.append("\(text(of: effect)) is queued")
      case .turn(let turn):
        if !turn.isTracked { lines.append("\(text(of: turn.effect)) is queued") }
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
