/// The calls on a store, each with what to do instead inside a reducer.
@usableFromInline
enum StoreCall: String {
  case dispatch = "dispatch(_:)"
  case state = "state"
  case subscribe = "subscribe(selector:handler:)"
  case cancel = "cancel() of a Subscription, or its release,"
  case add = "add(effectHandler:)"
  case perform = "perform(_:)"
  case delivered = "delivered()"
  case settled = "settled()"
  case shutdown = "shutdown()"
  case drop = "the release of a body that its Delivery posted, which ends a delivery,"

  private var wrong: String {
    switch self {
    case .dispatch: "store.dispatch(AppIntent.saved)"
    case .state: "state.total = store.state.price * 2"
    case .subscribe: "state.subscription = store.subscribe { print($0) }"
    case .cancel: "state.subscription = nil"
    case .add: "store.add(effectHandler: Sounds())"
    case .perform: "Task.immediate { await store.perform(AppIntent.saved) }"
    case .delivered: "Task.immediate { await store.delivered() }"
    case .settled: "Task.immediate { await store.settled() }"
    case .shutdown: "Task.immediate { await store.shutdown() }"
    case .drop: "loop.bodies = [], in a reducer"
    }
  }

  private var right: String {
    switch self {
    case .dispatch, .perform:
      "return [AppEffect.save], whose effect handler calls dispatch(AppIntent.saved)"
    case .state: "state.total = state.price * 2, with the state that the closure gets"
    case .subscribe: "return [AppEffect.observe], whose effect handler subscribes"
    case .cancel: "return [AppEffect.ignore], whose effect handler holds and cancels it"
    case .add: "add handlers where the store is made, or return an effect whose handler adds them"
    case .delivered: "await store.delivered(), where the intents are dispatched"
    case .settled: "await store.perform(AppIntent.save), where the intent is dispatched"
    case .shutdown: "await store.shutdown(), where the program ends"
    case .drop: "release it where the loop that runs such bodies ends"
    }
  }

  /// The message of a call made where user code runs under the store's lock (G7).
  fileprivate var misuseWhileReducing: String {
    """
    Glue: \(rawValue) was called on a store by that store's own reducer, or by a selector, a \
    lasting: or an `==` that it runs. They run while the store is locked, so the call would \
    deadlock. They must be pure.
      Wrong: \(wrong)
      Right: \(right)
    """
  }
}

/// Stops the program: the store was used by its own reducer, a selector, or an `==` (G7).
@usableFromInline
func stopForUseWhileReducing(_ call: StoreCall) -> Never {
  fatalError(call.misuseWhileReducing)
}

/// Stops the program: a middleware used its functions before the store was created.
@usableFromInline
func stopForUseWhileBuilding(_ call: String) -> Never {
  fatalError(
    """
    Glue: a middleware called \(call) while the chain of middleware was being built. The \
    store isn't complete yet.
      Wrong: { dispatch, getState in dispatch(AppIntent.start); return { next in … } }
      Right: store.dispatch(AppIntent.start), where the store was made; a middleware uses its \
    functions when it gets an intent
    """)
}

/// Stops the program: the thread that builds the chain of middleware likely waits for a call that waits
/// for that chain.
func stopForEndlessBuilding(_ call: String) -> Never {
  fatalError(
    """
    Glue: \(call) has waited for a minute, because the chain of middleware was still being built. \
    Another thread called it, and the closure of a middleware likely waits for that thread.
      Wrong: { dispatch, getState in warmUp(dispatch).wait(); return { next in … } }
      Right: start the work without waiting for it, or dispatch(AppIntent.start), where the store was \
    made, and start it when that intent arrives
    """)
}

/// Stops the program: an asynchronous effect waits for all effects of its store, itself included.
func stopForWaitingForItself(_ call: String) -> Never {
  fatalError(
    """
    Glue: \(call) was awaited by an asynchronous effect of the same store, which would wait for \
    itself.
      Wrong: func handle(effect: …) async { await store.\(call) }
      Right: await store.perform(AppIntent.save) for what an intent causes, and call \(call) where \
    the program ends
    """)
}

/// Stops the program: an effect performs an intent whose effect waits for the first one to end.
func stopForWaitingBehindItself() -> Never {
  fatalError(
    """
    Glue: perform(_:) was awaited by an effect, and what it performs emitted a sequential effect \
    with the same id, which waits until the first one has ended.
      Wrong: func handle(effect: …) async { await store.perform(AppIntent.next) }, where both are \
    .scheduled(.sequential, id: "queue")
      Right: dispatch(AppIntent.next), which does not wait; or give the inner effect another id
    """)
}

/// Stops the program: a cancellation was scheduled.
func stopForScheduledCancellation() -> Never {
  fatalError(
    """
    Glue: CancelEffects was scheduled. It cancels at the commit whose reducer returns it, and \
    can't wait.
      Wrong: CancelEffects(id: "search").scheduled(.delay(.seconds(1)), id: "cancel")
      Right: AppEffect.timeout.scheduled(.delay(.seconds(1)), id: "timeout"), whose handler \
    dispatches an intent for which the reducer returns CancelEffects(id: "search")
    """)
}

/// Stops the program: a value that the store handles was made a lasting effect.
func stopForLastingWork(_ type: String) -> Never {
  fatalError(
    """
    Glue: \(withArticle(type)) was made a lasting effect. Only the work of an asynchronous handler can last, \
    and the state says when it starts and stops, not a policy.
      Wrong: WatchEffect.poll.scheduled(.latest, id: "poll").lasting(id: "poll")
      Right: WatchEffect.poll.lasting(id: "poll")
    """)
}

/// Stops the program: two lasting effects have one id, which may be a secret.
func stopForTwoLastingEffects(ofTypes a: String, _ b: String, id: String) -> Never {
  fatalError(
    """
    Glue: lasting: returned two effects with one id, of type \(id): \(withArticle(a)) and \(withArticle(b)). Only one \
    effect of an id can last at a time.
      Wrong: [WatchEffect.tail("a.log").lasting(id: "tail"), WatchEffect.tail("b.log").lasting(id: \
    "tail")]
      Right: give each an id of its own, such as its file
    """)
}

/// Stops the program: a history was given a negative limit.
func stopForNegativeLimit(_ limit: Int) -> Never {
  fatalError(
    """
    Glue: undoable's limit is a number of steps, so it can't be \(limit).
      Wrong: undoable(reducer, limit: -1)
      Right: undoable(reducer, limit: 100), or .max for no limit
    """)
}

/// Stops the program: `pthread_key_create` failed.
func stopForLackOfThreadKeys(_ error: Int32) -> Never {
  fatalError(
    """
    Glue: pthread_key_create failed (error \(error)). Stores identify threads by thread-specific \
    data. A process has a few hundred keys for such data (PTHREAD_KEYS_MAX). All are taken, or memory \
    is exhausted.
    """)
}

#if os(Linux)
  /// Stops the program: `MainQueue` was used on a thread that doesn't run the main queue.
  func stopForUseOfMainQueueElsewhere() -> Never {
    fatalError(
      """
      Glue: MainQueue was used on another thread than the main one, or after the main thread had \
      left the main queue to other threads, as a suspended top-level await does. Run the event \
      loop in main.swift before the first await, or in a main() that isn't async.
        Wrong: let store = await openStore(); MainQueue.run()
        Right: let store = openStore(); g_application_run(app, 0, nil), on the main thread, where \
      GLib watches MainQueue.fileDescriptor and calls MainQueue.run()
      """)
  }
#endif

/// Stops the program: a backoff has invalid values.
func stopForSenselessBackoff(
  _ from: Duration, _ factor: Double, _ limit: Duration, _ jitter: Double
) -> Never {
  fatalError(
    """
    Glue: invalid Backoff(from: \(from), factor: \(factor), limit: \(limit), jitter: \(jitter)). \
    Durations must be at least 0, the factor at least 1, and jitter from 0 to 1.
      Wrong: Backoff(from: .seconds(1), factor: 0.5, limit: .seconds(30), jitter: 20)
      Right: Backoff(from: .seconds(1), factor: 2, limit: .seconds(30), jitter: 0.2)
    """)
}
