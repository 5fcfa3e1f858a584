import Glue

/// Threads that use one store at random, as a seed decides, and write down what happens.
final class InterleavedRun: Sendable {
  enum Posting: CaseIterable { case immediate, custom }

  /// The data that the threads share.
  ///
  /// Its lock is never held at a step or during a call of the store.
  private struct Table {
    var store: Store<Journal>?
    weak var knownStore: Store<Journal>?
    var subscriptions: [(number: Int, subscription: Subscription)] = []
    var callbacks: [DispatchFunc] = []
    var actionsLeft = 24
    var lastNumber = 0
    var closuresAlive = 0
  }

  private let interleaver: Interleaver
  private let transcript: InterleavedTranscript
  private let bodies: InterleavedBodies
  private let table = Shared(Table())

  /// Runs a seed to its end.
  static func play(seed: UInt32, _ posting: Posting) -> InterleavedOutcome {
    let run = InterleavedRun(seed: seed, posting)
    run.interleaver.run { run.beThread() }
    let commits = run.known?.state.commits
    let closures = run.table.change { $0.closuresAlive }
    run.tearDown()
    return InterleavedOutcome(
      seed: seed, posting: posting, lines: run.transcript.lines, commits: commits,
      closures: closures, leak: run.leak)
  }

  private init(seed: UInt32, _ posting: Posting) {
    interleaver = Interleaver(seed: seed, threads: 3)
    transcript = InterleavedTranscript(of: interleaver)
    bodies = InterleavedBodies(interleaver, transcript)
    let delivery = posting == .immediate ? .immediate : bodies.delivery
    let store = Store(
      state: Journal(), reducer: journal, delivery: delivery, report: { _ in })
    table.change { ($0.store, $0.knownStore) = (store, store) }
  }

  private func beThread() {
    subscribe()
    addHandler()
    for _ in 0..<4 { act(nil) }
    while bodies.runOne() {}
  }

  // MARK: Actions

  /// Does one thing at random, while the run's number of actions lasts.
  private func act(_ dispatch: DispatchFunc?) {
    interleaver.step()
    let mayAct = table.change { table in
      table.actionsLeft -= 1
      return table.actionsLeft >= 0
    }
    if !mayAct { return }
    switch choose(below: 32) {
    case 0..<11: self.dispatch(by: dispatch)
    case 11..<13: self.dispatch(by: interleaver.anyOf(table.change { $0.callbacks }))
    case 13..<17: subscribe()
    case 17..<20: cancel()
    case 20..<22: release()
    case 22..<25: addHandler()
    case 25..<29: bodies.runOne()
    case 29: bodies.runOneTwice()
    case 30: bodies.dropOne()
    default: if choose(below: 3) == 0 { forgetStore() }
    }
  }

  private func dispatch(by callback: DispatchFunc?) {
    let move = newMove()
    guard let send = callback ?? store.map({ store in { store.dispatch($0) } }) else { return }
    transcript.write(known == nil ? .dispatchesInVain(move.number) : .dispatches(move))
    send(move)
    transcript.write(.returns(move.number))
    if let store = known { transcript.write(.reads(store.state.commits)) }
  }

  private func newMove() -> Move {
    Move(
      number: newNumber(),
      changesLeft: choose(below: 2) == 0,
      changesRight: choose(below: 3) == 0,
      sounds: (0..<choose(below: 3)).map { _ in choose(below: 2) == 0 ? .high : .low })
  }

  private func subscribe() {
    guard let store else { return }
    let number = newNumber()
    let watch: Watch = [.all, .left, .right][choose(below: 3)]
    transcript.write(.subscribes(number, watch))
    let subscription = subscribe(number, to: watch, of: store)
    transcript.write(.returns(number))
    table.change { $0.subscriptions.append((number, subscription)) }
  }

  private func subscribe(
    _ number: Int, to watch: Watch, of store: Store<Journal>
  ) -> Subscription {
    let tell: @Sendable (Int) -> Void = { [self, life = newLife()] value in
      withExtendedLifetime(life) { make(.tell(subscriber: number, value)) }
    }
    return switch watch {
    case .all: store.subscribe { tell($0.commits.count) }
    case .left: store.subscribe(selector: \.left) { tell($0) }
    case .right: store.subscribe(selector: \.right) { tell($0) }
    }
  }

  private func cancel() {
    let subscriptions = table.change { $0.subscriptions }
    guard let (number, subscription) = interleaver.anyOf(subscriptions) else { return }
    transcript.write(.cancels(number))
    subscription.cancel()
  }

  private func release() {
    let indices = table.change { Array($0.subscriptions.indices) }
    guard let index = interleaver.anyOf(indices) else { return }
    transcript.write(.cancels(table.change { $0.subscriptions[index].number }))
    _ = table.change { $0.subscriptions.remove(at: index) }
  }

  private func addHandler() {
    guard let store else { return }
    let number = newNumber()
    let pitch: Pitch? = [nil, .high, .low][choose(below: 3)]
    let handle: SoundHandler.Handle = { [self, life = newLife()] effect, dispatch in
      if choose(below: 4) == 0 { table.change { $0.callbacks.append(dispatch) } }
      withExtendedLifetime(life) { make(.handle(handler: number, effect.number), dispatch) }
    }
    transcript.write(.adds(number, pitch))
    switch pitch {
    case nil: store.add(effectHandler: SoundHandler(handle))
    case .high: store.on(High.self) { handle($0, $1) }
    case .low: store.on(Low.self) { handle($0, $1) }
    }
  }

  private func forgetStore() {
    transcript.write(.forgetsStore)
    _ = table.change { $0.store.take() }
  }

  /// The body of each subscriber and handler: it does up to two things itself.
  private func make(_ call: Call, _ dispatch: DispatchFunc? = nil) {
    transcript.write(.begins(call))
    interleaver.step()
    for _ in 0..<choose(below: 3) { act(dispatch) }
    interleaver.step()
    transcript.write(.ends(call))
  }

  private func choose(below limit: Int) -> Int { interleaver.choose(below: limit) }

  // MARK: The store's life

  /// The store, if it still exists.
  private var known: Store<Journal>? { table.change { $0.knownStore } }

  /// The store, until the threads forget it: then only deliveries that are due keep it.
  private var store: Store<Journal>? { table.change { $0.store } }

  /// The error when everything outside of the library has been released (G9).
  private var leak: String? {
    if known != nil { return "G9: the store is still alive" }
    let alive = table.change { $0.closuresAlive }
    return alive == 0 ? nil : "G9: \(alive) closures of subscribers and handlers are still alive"
  }

  private func tearDown() {
    table.exchange(
      table.change { Table(knownStore: $0.knownStore, closuresAlive: $0.closuresAlive) })
  }

  /// A capture of each closure that the store gets, to be counted.
  private func newLife() -> OnDeinit {
    table.change { $0.closuresAlive += 1 }
    return OnDeinit { [table] in table.change { $0.closuresAlive -= 1 } }
  }

  private func newNumber() -> Int {
    table.change { table in
      table.lastNumber += 1
      return table.lastNumber
    }
  }
}
