public import Dispatch

// Calls that deliveries move to a queue or to the main actor, and their count.

extension Store {
  /// Moves a subscriber's calls to a queue, if there is one; else debug builds time them.
  ///
  /// A serial queue of its own keeps the calls in order and apart, even if that queue is
  /// concurrent.
  @usableFromInline
  func calls(on queue: DispatchQueue?, with type: Any.Type) -> Move? {
    guard let queue else {
      guard let timing = timing() else { return nil }
      return { call in timing(type, call) }
    }
    let serial = DispatchQueue(label: "glue.subscription", target: queue)
    return { [weak self] call in
      let inFlight = self?.beginCall()
      serial.async { withExtendedLifetime(inFlight) { call() } }
    }
  }

  /// Moves a subscriber's calls to the main actor, unless they are made there anyway.
  @usableFromInline
  var callsOnMainActor: Move {
    let calls = mainActorCalls(for: .subscribe)
    return { calls.make($0) }
  }

  /// The calls on the main actor, of all subscribers and handlers.
  func mainActorCalls(for call: StoreCall) -> MainActorCalls {
    read(call) { core in
      let calls = core.work.mainActorCalls ?? MainActorCalls { [weak self] in self?.beginCall() }
      core.work.mainActorCalls = calls
      return calls
    }
  }

  private func beginCall() -> CallInFlight {
    let number = core.withLock { $0.work.outbox.calls.begin() }
    return CallInFlight { [weak self] in
      self?.change { core, _ in core.work.outbox.calls.end(number) }
    }
  }
}
