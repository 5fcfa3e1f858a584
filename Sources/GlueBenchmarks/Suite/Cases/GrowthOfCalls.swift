import Dispatch
import Glue
import Synchronization

/// Calls of the public interface, beside more and more of what each may grow with.
func growthOfCalls() -> [Subject] {
  [
    growing("handlers added", .linear, prepare: addedHandlers),
    growing("1000 effects, beside handlers of another", .constant, prepare: besideHandlers),
    growing("1000 effects, beside effects", .constant, from: 250, prepare: besideEffects),
    growing("1000 cancellations, beside effects", .constant, from: 250, prepare: cancellations),
    growing("100 calls of perform(), beside effects", .constant, from: 250, prepare: performed),
    growing("100 calls of delivered(), beside commits", .constant, prepare: deliveredCalls),
    growing("commits that were queued", .linear, prepare: queuedCommits),
    growing("a commit's subscribers", .linear, prepare: subscribers),
    growing("a commit's iterators of values", .linear, prepare: iterators),
    growing("a commit's monitors", .linear, prepare: monitors),
    growing("links of middleware", .linear, prepare: middlewareLinks),
    growing("thunks", .linear, prepare: thunks),
    growing("lasting effects that begin and end", .linear, from: 250, prepare: lastingChanges),
    growing("shutdown(finishing:within:) of effects", .linear, from: 250, prepare: bounded),
    growing("combined reducers", .linear, prepare: combined),
    growing("1000 intents of dictionary elements", .constant, prepare: dictionaryElements),
    growing("an array element's intents", .linear, prepare: arrayElements),
    growing("steps that are undone", .linear, prepare: undoneSteps),
    growing("a step of a history at its limit", .linear, prepare: stepAtLimit),
  ].flatMap(\.self)
}

// MARK: - Handlers and effects

private func addedHandlers(_ size: Int) -> () -> Bool {
  let (store, tally) = (Store(state: 0, reducer: emitting), CallCount())
  return {
    for _ in 0..<size { store.on(Held.self) { (_, _) in tally.add() } }
    store.emit { [Held()] }
    return tally.count == size
  }
}

private func besideHandlers(_ size: Int) -> () -> Bool {
  let (store, tally) = (Store(state: 0, reducer: emitting), CallCount())
  for _ in 0..<size { store.on(Idle.self) { (_, _) in } }
  store.on(Held.self) { (_, _) in tally.add() }
  store.emit { [Held()] }  // the first effect of a type asks each handler
  return {
    for _ in 0..<1000 { store.emit { [Held()] } }
    return tally.count == 1001
  }
}

private func besideEffects(_ size: Int) -> () -> Bool {
  let (crowd, tally) = (Crowd(of: size), CallCount())
  crowd.store.on(Held.self) { (_, _) in tally.add() }
  crowd.store.emit { [Held()] }
  return {
    for _ in 0..<1000 { crowd.store.emit { [Held().scheduled(.latest, id: "own")] } }
    return tally.count == 1001
  }
}

private func cancellations(_ size: Int) -> () -> Bool {
  let crowd = Crowd(of: size)
  return {
    for _ in 0..<1000 { crowd.store.emit { [CancelEffects(id: "none")] } }
    return crowd.store.state == size + 1000
  }
}

private func performed(_ size: Int) -> () -> Bool {
  let (crowd, tally) = (Crowd(of: size), CallCount())
  crowd.store.on(Held.self) { (_, _) in tally.add() }
  crowd.store.emit { [Held()] }
  return {
    runBlocking { [store = crowd.store] in
      for _ in 0..<100 { await store.perform(Emission { [Held()] }) }
    }
    return tally.count == 101
  }
}

private func lastingChanges(_ size: Int) -> () -> Bool {
  let store = Store(
    state: 0, reducer: emitting,
    lasting: { count in count == 1 ? (0..<size).map { Idle(id: $0).lasting(id: $0) } : [] })
  let begun = Atomic(0)
  store.on(Idle.self) { (_, _) async in
    begun.add(1, ordering: .relaxed)
    for await _ in AsyncStream<Never>.makeStream().stream {}
  }
  return {
    store.emit { [] }
    store.emit { [] }
    runBlocking { await store.shutdown() }
    return store.state == 2 && begun.load(ordering: .relaxed) <= size
  }
}

private func bounded(_ size: Int) -> () -> Bool {
  let crowd = Crowd(of: size)
  return {
    let unfinished = Mutex<Int?>(nil)
    runBlocking { [store = crowd.store] in
      let left = await store.shutdown(finishing: .zero, within: .seconds(60))
      unfinished.withLock { $0 = left.count }
    }
    return unfinished.withLock { $0 } == 0
  }
}

// MARK: - Commits and deliveries

/// A loop that makes deliveries on request.
private final class Loop: Sendable {
  private let bodies = Mutex<[@Sendable () -> Void]>([])

  var delivery: Delivery { .custom { [self] body in bodies.withLock { $0.append(body) } } }

  func run() {
    while let body = bodies.withLock({ $0.popLast() }) { body() }
  }
}

private func deliveredCalls(_ size: Int) -> () -> Bool {
  let loop = Loop()
  let store = Store(state: 0, reducer: emitting, delivery: loop.delivery)
  let tally = CallCount()
  store.on(Held.self) { (_, _) in tally.add() }
  for _ in 0..<size { store.emit { [Held()] } }
  return {
    runBlocking {
      withUnsafeCurrentTask { $0?.cancel() }
      for _ in 0..<100 { await store.delivered() }
    }
    return store.state == size
  }
}

private func queuedCommits(_ size: Int) -> () -> Bool {
  let loop = Loop()
  let store = Store(state: 0, reducer: emitting, delivery: loop.delivery)
  let tally = CallCount()
  store.on(Held.self) { (_, _) in tally.add() }
  return {
    for _ in 0..<size { store.emit { [Held()] } }
    loop.run()
    return tally.count == size
  }
}

private func subscribers(_ size: Int) -> () -> Bool {
  let (store, tally) = (Store(state: 0, reducer: emitting), CallCount())
  let all = (0..<size).map { _ in store.subscribe { _ in tally.add() } }
  return {
    store.emit { [] }
    return withExtendedLifetime(all) { tally.count == 2 * size }
  }
}

private func iterators(_ size: Int) -> () -> Bool {
  let store = Store(state: 0, reducer: emitting)
  let all = (0..<size).map { _ in store.values(of: \.self).makeAsyncIterator() }
  return {
    store.emit { [] }
    return withExtendedLifetime(all) { store.state == 1 }
  }
}

private struct Counting: Monitor {
  let tally: CallCount
  func observe(_ commit: Commit<Int>) { tally.add() }
}

private func monitors(_ size: Int) -> () -> Bool {
  let tally = CallCount()
  let store = Store(
    state: 0, reducer: emitting,
    monitors: [any Monitor<Int>](repeating: Counting(tally: tally), count: size))
  return {
    store.emit { [] }
    return tally.count == size
  }
}

private func middlewareLinks(_ size: Int) -> () -> Bool {
  let pass: Middleware<Int> = { _, _ in { next in { intent in next(intent) } } }
  let store = Store(
    state: 0, reducer: emitting, middleware: [Middleware<Int>](repeating: pass, count: size))
  return {
    store.emit { [] }
    return store.state == 1
  }
}

private func thunks(_ size: Int) -> () -> Bool {
  let store = Store(state: 0, reducer: emitting, middleware: [thunkMiddleware()])
  return {
    for _ in 0..<size {
      store.dispatch(Thunk<Int> { dispatch, _ in dispatch(Emission { [] }) })
    }
    return store.state == size
  }
}

// MARK: - Reducers

private struct Entry: Identifiable, Sendable {
  let id: Int
  var count = 0
}

private struct Entries: Sendable {
  var byID: [Int: Entry] = [:]
  var all: [Entry] = []

  init(_ size: Int) {
    all = (0..<size).map { Entry(id: $0) }
    byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
  }
}

@Sendable
private func counting(entry: inout Entry, intent: Emission) -> [any Effect] {
  entry.count += 1
  return intent.effects()
}

private func combined(_ size: Int) -> () -> Bool {
  let reducer = combineReducers {
    for _ in 0..<size { erased }
  }
  let store = Store(state: 0, reducer: reducer)
  return {
    store.emit { [] }
    return store.state == size
  }
}

@Sendable
private func erased(count: inout Int, intent: any Intent) -> [any Effect] {
  count += 1
  return []
}

private func dictionaryElements(_ size: Int) -> () -> Bool {
  let store = Store(state: Entries(size), reducer: forEach(\.byID, use: counting))
  return {
    for _ in 0..<1000 { store.dispatch(ElementIntent(id: 7, intent: Emission { [] })) }
    return store.state.byID[7]?.count == 1000
  }
}

private func arrayElements(_ size: Int) -> () -> Bool {
  let store = Store(state: Entries(size), reducer: forEach(\.all, use: counting))
  return {
    for _ in 0..<100 { store.dispatch(ElementIntent(id: size - 1, intent: Emission { [] })) }
    return store.state.all[size - 1].count == 100
  }
}

private func undoneSteps(_ size: Int) -> () -> Bool {
  let store = Store(state: History(0), reducer: undoable(emitting, limit: .max))
  return {
    for _ in 0..<size { store.dispatch(Emission { [] }) }
    store.dispatch(HistoryIntent.jump(by: -size))
    return store.state.present == 0 && store.state.redoCount == size
  }
}

private func stepAtLimit(_ size: Int) -> () -> Bool {
  let store = Store(state: History(0), reducer: undoable(emitting, limit: size))
  for _ in 0..<size { store.dispatch(Emission { [] }) }
  return {
    for _ in 0..<100 { store.dispatch(Emission { [] }) }
    return store.state.present == size + 100
  }
}
