internal import Dispatch

extension Store {
  /// Ends all effects for good, and waits until all deliveries are made.
  ///
  /// At one instant the store stops taking effects and cancels those that wait or run, so no intent
  /// that they dispatch is reduced any more (G11). Then it waits until their tasks have returned,
  /// and until everything queued for synchronous handlers and subscribers has been delivered. That
  /// includes calls moved to a queue or to the main actor. So a program whose `main` ends with it
  /// loses nothing that was decided before.
  ///
  /// A journal's records need no delivery: a thread of the journal's own writes those so far at once,
  /// and the clean end last. So they are on the disk even if the loop or the queue of the deliveries
  /// has ended. Because that can't be known of a ``Delivery/custom(_:)`` loop, `shutdown()` doesn't
  /// wait for the deliveries that it hasn't begun: keep such a loop running until ``delivered()``
  /// returns. It stops waiting for a ``Delivery/queue(_:)``, the main one too, that doesn't begin a
  /// delivery for 10 s of real time. It doesn't stop waiting for calls that were moved elsewhere:
  /// by `subscribe(on:)` to a suspended queue, or to a main actor whose queue isn't run.
  ///
  /// The state stays readable, and later intents still reduce and notify (G2), without their
  /// effects. The store keeps its handlers, and the effects that never started, until it is
  /// released. Calling it again waits again, and if the calling task is canceled, it returns at once.
  ///
  /// A task that ignores its cancellation delays the return, as does a handler that doesn't return:
  /// see ``shutdown(finishing:within:)``. An asynchronous effect of the same store would wait for
  /// itself; that stops the program with a message that names the cure. A call in a child task of
  /// an effect is not detected.
  public nonisolated(nonsending) func shutdown() async {
    writeLog()
    await endEffects(until: nil) { effects in
      effects.keepUnstarted()
      effects.close()
    }
    await awaitDeliveries(until: nil)
    await endLog(until: nil)
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
  /// Each call, overlapping or later, returns everything that is left at its end, each effect once,
  /// also those that an earlier ``shutdown()`` canceled. It doesn't wait for deliveries that a
  /// ``Delivery/custom(_:)`` loop has not begun, but it returns them. A journal's clean end counts for
  /// the second time too; if that passes first, the journal reports it.
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
    writeLog()
    await endEffects(until: start + min(finishing, limit)) { effects in
      effects.keepUnstarted()
      effects.beginToFinish()
    }
    await awaitDeliveries(until: start + min(finishing, limit))
    await endEffects(until: start + limit) { $0.close() }
    let isDelivered = await awaitDeliveries(until: start + limit) && delivery.isSure
    let isEnded = await endLog(until: start + limit)
    return core.withLock { core in
      let effects = (core.runtime.effects.unstarted ?? []) + core.runtime.effects.notReturned
      // While the end was late, more may have been enqueued behind what was awaited.
      let deliveries = isDelivered && isEnded ? [] : core.runtime.undelivered
      return effects + deliveries + core.runtime.unwritten
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
      stop(&core.runtime.effects)
      core.runtime.effects.releaseGroups()
      if deadline == nil { core.runtime.effects.checks?.watch?.beginShutdown() }
      return core.runtime.wait(until: .ended)
    }
    await wait(for: waiter, of: .shutdown, until: deadline)
  }

  private func writeLog() {
    read(.shutdown) { $0.runtime.log }?.writeAll()
  }

  /// Ends the log, and waits until that is written.
  ///
  /// - Returns: whether it is; true without a log.
  @discardableResult
  private nonisolated(nonsending) func endLog(until deadline: Duration?) async -> Bool {
    let waiter = Waiter()
    let isWritten = Locked(false)
    let log = core.withLock { core in
      core.runtime.log?.appendEnd(with: core.state, after: core.company?.commits ?? 0) {
        isWritten.withLock { $0 = true }
        waiter.completion.complete()
      }
      return core.runtime.log
    }
    guard let log else { return true }
    log.writeAll()
    await wait(for: waiter, of: .shutdown, until: deadline)
    let isEnded = isWritten.withLock { $0 }
    if !isEnded { log.reportLateEnd() }
    return isEnded
  }

  /// Waits for pending deliveries that are certain to be made, and for calls in flight.
  ///
  /// - Returns: whether there is nothing left to wait for.
  @discardableResult
  nonisolated(nonsending) func awaitDeliveries(until deadline: Duration?) async -> Bool {
    let waiter = change(.shutdown) { [delivery, passMark] core, thread in
      delivery.isSure
        ? core.runtime.waitForDeliveries(by: thread, passing: passMark)
        : core.runtime.waitForRunningBody()
    }
    let patience = isPatient(until: deadline) ? waiter.map(endIfStalled) : nil
    defer { patience?.cancel() }
    return await wait(for: waiter, of: .shutdown, until: deadline)
  }

  /// Ends a wait for posted deliveries once none has begun for some seconds of real time.
  ///
  /// - Returns: the timer that looks for that, to be canceled after the wait.
  private func endIfStalled(_ waiter: Waiter) -> any DispatchSourceTimer {
    let seconds = Patience.ofThreads.get()
    let lastBody = Locked(waitingBody)
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { [weak self] in
      let body = self?.waitingBody
      let isKnown = lastBody.withLock { last in
        defer { last = body }
        return last == body
      }
      if body != nil && isKnown { waiter.completion.complete() }
    }
    timer.schedule(deadline: .now() + seconds, repeating: seconds)
    timer.activate()
    return timer
  }

  /// Whether a wait ends once deliveries are stalled; those of a simulated machine never are.
  private func isPatient(until deadline: Duration?) -> Bool {
    deadline == nil && !delivery.isImmediate && timer.owner?.makeQueue == nil
  }

  private var waitingBody: Int? { core.withLock { $0.runtime.outbox.waitingBody } }
}

extension StoreRuntime {
  /// The pending deliveries and calls in flight.
  ///
  /// The entries are still in the outbox when the copies here go, so nothing is released under the
  /// lock.
  fileprivate var undelivered: [UnfinishedWork] {
    var work: [UnfinishedWork] = []
    var pending = max(outbox.takenCount - 1, 0)
    for entry in outbox.entries {
      switch entry.call {
      case .effect(let effect, _): work.append(.effect(effect, id: nil, because: .queued))
      case .partEffect(let origin, _):
        if let part = origin.part {
          work.append(
            .effect(part.effect, id: part.keyOfUnscheduled.value, because: .queued))
        }
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
    return work
  }

  /// The records that the log hasn't written: its own count, because a late dispatch may have added
  /// some after all deliveries were made.
  fileprivate var unwritten: [UnfinishedWork] {
    let count = log?.unwrittenCount ?? 0
    return count > 0 ? [.records(count)] : []
  }
}
