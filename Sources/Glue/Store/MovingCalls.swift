public import Dispatch

// What deliveries need to make calls elsewhere, and to have them counted.

extension Store {
  /// What moves a subscriber's calls to a queue, if there is one.
  ///
  /// It has a serial queue of its own, so that the calls stay in order and apart even if that queue
  /// is concurrent.
  @usableFromInline
  func mover(to queue: DispatchQueue?) -> Mover? {
    guard let queue else { return nil }
    let serial = DispatchQueue(label: "glue.subscription", target: queue)
    return Mover { [weak self] call in
      let moved = self?.beginMovedCall()
      serial.async { withExtendedLifetime(moved) { call() } }
    }
  }

  /// What moves a subscriber's calls to the main actor, unless they are made there anyway.
  @usableFromInline
  var moverToMainActor: Mover {
    let calls = mainActorCalls(for: .subscribe)
    return Mover { calls.make($0) }
  }

  /// The calls that the main actor takes, of all subscribers and handlers.
  func mainActorCalls(for call: StoreCall) -> MainActorCalls {
    locked(call) { core, _ in
      let calls = core.mainActorCalls ?? MainActorCalls { [weak self] in self?.beginMovedCall() }
      core.mainActorCalls = calls
      return calls
    }
  }

  private func beginMovedCall() -> MovedCall {
    let number = core.withLock { $0.outbox.moved.begin() }
    return MovedCall { [weak self] in self?.endMovedCall(number) }
  }

  private func endMovedCall(_ number: Int) {
    finishLeftovers { core in
      core.effects.leftovers += core.outbox.moved.end(number).map { .value($0) }
    }
  }
}
