@testable import Glue

/// Three threads that each make some calls of one store, in an order that choices decide, beside a
/// list of the deliveries that must come.
///
/// `@unchecked Sendable` is sound because all of it happens on one real thread.
final class ExhaustiveRun: @unchecked Sendable {
  enum Action { case dispatch, subscribe, cancel, add }

  /// A call of a subscriber or a handler, with the number of its commit.
  private struct Expected: Equatable {
    let receiver: Int
    let commit: Int

    /// Whether it is one delivery with the call before, as an effect for several handlers is.
    let isSameDelivery: Bool

    /// Whether another thread has caused it than the one that delivered then.
    let isForeign: Bool

    /// Whether its subscription has ended: it is not made then, but its turn still counts.
    var isCancelled = false

    /// Whether its turn counts toward the limit of the call that delivers (G12).
    var counts: Bool { isForeign && !isSameDelivery }
  }

  private struct Note: Effect { let commit: Int }

  private let programs: [[Action]]
  private let choices: Choices
  private let threads: VirtualThreads
  private let isPosting: Bool
  private let limit: Int

  private var store: Store<Int>?
  private var subscriptions: [(receiver: Int, subscription: Subscription)] = []
  private var positions = [0, 0, 0]

  private var commits = 0
  private var lastReceiver = 0
  private var subscribers: [Int] = []
  private var handlers: [Int] = []
  private var expected: [Expected] = []

  /// Work that the library has handed over and no thread has run, and the thread that it was on
  /// then.
  private var body: (run: @Sendable () -> Void, owner: Int, isPosted: Bool)?

  /// The calls in progress, innermost last, each with its thread.
  ///
  /// The number says how many bodies that it has posted another thread has run meanwhile, because
  /// these count towards its limit.
  private var stack: [(what: Int, thread: Int, bodiesElsewhere: Int)] = []

  /// The call that is running, and how many deliveries of others have had their turn in the call
  /// that delivers.
  private var open: Expected?
  private var heldUp = 0
  private(set) var fault: String?

  /// - Parameters:
  ///   - programs: the calls of each thread.
  ///   - threads: the threads.
  ///   - posting: whether deliveries are posted, rather than made at once.
  ///   - limit: how many deliveries of others a call may be held up by.
  ///   - choices: decides the order.
  init(
    _ programs: [[Action]], on threads: VirtualThreads, posting: Bool, limit: Int,
    _ choices: Choices
  ) {
    (self.programs, self.isPosting, self.limit) = (programs, posting, limit)
    (self.threads, self.choices) = (threads, choices)
    var posted: DeliverySettings.Post?
    if posting { posted = { [unowned self] in post($0) } }
    let settings = DeliverySettings(
      post: posted, isSure: !posting, limit: limit, elsewhere: { [unowned self] in handOver($0) })
    store = Store(
      state: 0, reducer: { [unowned self] in reduce(&$0, $1) },
      delivery: Delivery(settings: settings), report: { _ in })
  }

  func run() {
    while case let ready = ready, !ready.isEmpty {
      let chosen = choices.choose(below: ready.count, in: state)
      if choices.isKnown { break }
      goOn(ready[chosen])
    }
    if choices.isKnown { return end() }
    if !expected.allSatisfy(\.isCancelled) { fail("G1, G4: not delivered: \(expected)") }
    end()
  }

  private func end() {
    expected = []
    body = nil
    subscriptions = []
    store = nil
  }

  private func fail(_ text: String) { if fault == nil { fault = text } }

  // MARK: Choices

  /// The threads that may continue: each with calls left that is not in one, or is the innermost,
  /// and the one that runs work handed over.
  private var ready: [Int] {
    (0...programs.count).filter { thread in
      if thread == programs.count { return body != nil && stack.isEmpty }
      return positions[thread] < programs[thread].count
        && (threads.current == thread || !stack.contains { $0.thread == thread })
    }
  }

  private func goOn(_ thread: Int) {
    if thread == programs.count { runBody() } else { call(on: thread) }
    if outbox[0] == 0 { expected.removeAll(where: \.isCancelled) }
  }

  /// Everything that the rest of the run depends on.
  ///
  /// Receivers are counted anew, because their order no longer matters once it makes no difference.
  private var state: [Int] {
    var names: [Int: Int] = [:]
    func name(_ receiver: Int) -> Int {
      if let name = names[receiver] { return name }
      names[receiver] = names.count
      return names.count - 1
    }
    var state = positions + [heldUp, subscribers.count, handlers.count]
    if let body { state += [-4, body.owner, body.isPosted ? 1 : 0] }
    for receiver in subscribers + handlers { state.append(name(receiver)) }
    for (receiver, _) in subscriptions { state.append(name(receiver)) }
    for call in expected {
      if call.isCancelled {
        state.append(-3)
        continue
      }
      let flags = (call.isForeign ? 1 : 0) + (call.isSameDelivery ? 2 : 0)
      state += [name(call.receiver), commits - call.commit, flags]
    }
    if let open { state += [-1, open.isForeign ? 1 : 0] }
    for frame in stack { state += [-2, min(frame.what, 1), frame.thread, frame.bodiesElsewhere] }
    return state + outbox
  }

  /// The library's own count of that, which a wrong library would not match.
  private var outbox: [Int] {
    store?.core.withLock { core in
      [
        core.runtime.outbox.isDraining ? 1 : 0,
        core.runtime.outbox.drainer?.servesOthers == true ? 1 : 0,
        core.runtime.outbox.queued.count,
      ]
    } ?? [0, 0, 0]
  }

  private func enter(_ what: Int, on thread: Int, _ body: () -> Void) {
    stack.append((what, thread, 0))
    threads.on(thread, body)
    stack.removeLast()
  }

  // MARK: Calls

  private func call(on thread: Int) {
    let action = programs[thread][positions[thread]]
    positions[thread] += 1
    let held = heldUp
    heldUp = 0
    enter(0, on: thread) { perform(action) }
    heldUp = held
  }

  private func perform(_ action: Action) {
    switch action {
    case .dispatch:
      store?.dispatch(Step())
      if store?.state != commits { fail("G2: the state is not that of the last commit") }
    case .subscribe: subscribe()
    case .cancel: cancel()
    case .add: add()
    }
  }

  private struct Step: Intent {}

  /// The commit's instant.
  private func reduce(_ state: inout Int, _ intent: any Intent) -> [any Effect] {
    commits += 1
    state = commits
    for receiver in subscribers { expect(receiver) }
    for receiver in handlers { expect(receiver, isSameDelivery: receiver != handlers.first) }
    return [Note(commit: commits)]
  }

  private func expect(_ receiver: Int, isSameDelivery: Bool = false) {
    let deliverer = body?.owner ?? stack.first?.thread
    expected.append(
      Expected(
        receiver: receiver, commit: commits, isSameDelivery: isSameDelivery,
        isForeign: deliverer != threads.current || open?.isForeign == true))
  }

  private func subscribe() {
    lastReceiver += 1
    let receiver = lastReceiver
    subscribers.append(receiver)
    expect(receiver)
    if let subscription = store?.subscribe(handler: { [unowned self] in made(receiver, $0) }) {
      subscriptions.append((receiver, subscription))
    }
  }

  private func cancel() {
    guard let (receiver, subscription) = subscriptions.first else { return }
    subscriptions.removeFirst()
    subscribers.removeAll { $0 == receiver }
    expected.removeAll { $0.receiver == receiver && (isPosting || !$0.counts) }
    for index in expected.indices where expected[index].receiver == receiver {
      expected[index].isCancelled = true
    }
    subscription.cancel()
  }

  private func add() {
    lastReceiver += 1
    let receiver = lastReceiver
    handlers.append(receiver)
    store?.on(Note.self) { [unowned self] effect, _ in made(receiver, effect.commit) }
  }

  // MARK: Deliveries

  /// A subscriber or a handler was called.
  private func made(_ receiver: Int, _ commit: Int) {
    while expected.first?.isCancelled == true { passFirst() }
    if open != nil { fail("G3, G5: inside another call: \(receiver) of commit \(commit)") }
    guard let next = expected.first, (next.receiver, next.commit) == (receiver, commit) else {
      return fail("G3, G4, G8: \(receiver) of \(commit) instead of \(expected.first, default: "-")")
    }
    passFirst()
    if !isPosting && heldUp > limit { fail("G12: held up by \(heldUp) deliveries of others") }
    open = next
    enter(receiver, on: threads.current) {
      while case let ready = ready, !ready.isEmpty {
        let chosen = choices.choose(below: ready.count + 1, in: state)
        if chosen == 0 { break }
        goOn(ready[chosen - 1])
      }
    }
    open = nil
  }

  /// The turn of the first call has come.
  private func passFirst() {
    if expected.removeFirst().counts { heldUp += 1 }
  }

  /// A call that has reached its limit leaves the rest to another thread.
  ///
  /// Of the canceled calls, those that made it reach the limit have had their turn.
  private func handOver(_ body: @escaping @Sendable () -> Void) {
    while heldUp < limit, expected.first?.isCancelled == true { passFirst() }
    self.body = (body, threads.current, false)
  }

  /// A body is to be run: later, here, on another thread before this returns, or never.
  private func post(_ body: @escaping @Sendable () -> Void) {
    switch choices.choose(below: 4, in: state) {
    case 0: self.body = (body, threads.current, true)
    case 1: enter(-2, on: threads.current) { body() }
    case 2:
      enter(-2, on: 3) { body() }
      if !stack.isEmpty { stack[stack.count - 1].bodiesElsewhere += 1 }
    default: expected = []
    }
  }

  /// Work handed over is run on another thread.
  private func runBody() {
    guard let body = body.take() else { return }
    heldUp = 0
    enter(-3, on: 3) { body.run() }
    heldUp = 0
  }
}
