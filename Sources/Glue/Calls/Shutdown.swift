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
  ///     for work in left { log("not ended: \(work)") }
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
  /// - Returns: the work that hasn't ended or never started, effects first. Empty if nothing is left.
  @discardableResult
  public nonisolated(nonsending) func shutdown(
    finishing: Duration, within limit: Duration
  ) async -> [UnfinishedWork] {
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
    return core.withLock { core in
      let effects =
        (core.runtime.effects.extras?.unstarted ?? []) + core.runtime.effects.notReturned
      return isDelivered ? effects : effects + core.runtime.undelivered
    }
  }

  /// Takes no more effects, and waits until those that may finish have ended or, if canceled, their
  /// tasks have returned.
  private nonisolated(nonsending) func endEffects(
    until deadline: Duration?, _ stop: (inout EffectEngine) -> Void
  ) async {
    let waiter = change(.shutdown) { core, _ -> Waiter? in
      let current = currentTask()
      if current != 0, core.runtime.effects.members.contains(where: { $0.has(current) }) {
        stopForWaitingForItself("shutdown()")
      }
      core.runtime.effects.checkForForgottenResume()
      stop(&core.runtime.effects)
      core.runtime.effects.releaseGroups()
      if deadline == nil { core.runtime.effects.extras?.watch?.beginShutdown() }
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

extension StoreRuntime {
  /// The pending deliveries, calls in flight, and records.
  ///
  /// The entries are still in the outbox when the copies here go, so nothing is released under the
  /// lock.
  fileprivate var undelivered: [UnfinishedWork] {
    var work: [UnfinishedWork] = []
    var pending = max(outbox.takenCount - 1, 0)
    for entry in outbox.entries {
      switch entry.call {
      case .effect(let effect, _): work.append(.effect(effect, id: nil, because: .queued))
      case .turn(let run): if !run.isRegistered { work.append(UnfinishedWork(run, .queued)) }
      case .closure, .value: pending += 1
      case .mark, .record, nil: break
      }
    }
    let isUnderWay = outbox.takenCount > 0
    if pending > 0 || isUnderWay {
      work.append(.deliveries(pending: pending, isUnderWay: isUnderWay))
    }
    if !outbox.calls.isEmpty { work.append(.movedCalls(outbox.calls.count)) }
    let records = log?.unwrittenCount ?? 0
    if records > 0 { work.append(.records(records)) }
    return work
  }
}
