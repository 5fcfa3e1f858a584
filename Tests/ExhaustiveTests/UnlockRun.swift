import Synchronization

@testable import InterleavedGlue

/// Threads that use one store, and the deliveries that its subscribers and handlers should get.
///
/// `@unchecked Sendable` is sound because the threads take turns.
final class UnlockRun: @unchecked Sendable {
  enum Action { case dispatch, chain, subscribe, cancel, add }

  private struct Step: Intent { var isChained = false }
  private struct Note: Effect {
    let commit: Int
    let isChained: Bool
  }

  private let store: Store<Int>
  private let turns: Turns
  private var commits = 0
  private var isInside = false

  /// The calls, in order: a receiver with the number of a commit.
  ///
  /// Receiver 0 is a handler that is there from the start, receiver 1 such a subscriber.
  private var calls: [(receiver: Int, commit: Int)] = []
  private var receivers = 1
  private var subscriptions: [(receiver: Int, subscription: Subscription)] = []
  private var canceled: [Int: Int] = [:]
  private let inside = Locked(0)
  private(set) var fault: String?

  init(_ programs: [[Action]], limit: Int, _ choices: Choices, switches: Int) {
    turns = Turns(choices, switches: switches)
    let run = Weak()
    let settings = DeliverySettings(isSure: true, limit: limit) { run.value?.turns.start($0) }
    store = Store(
      state: 0, reducer: { run.value?.reduce(&$0, $1) ?? [] },
      delivery: Delivery(settings: settings), report: { _ in })
    run.value = self
    store.on(Note.self) { [unowned self] note, dispatch in
      made(0, note.commit)
      if note.isChained { dispatch(Step()) }
    }
    subscriptions.append(
      (1, store.subscribe(handler: { [unowned self] state in made(1, state) })))
    for program in programs {
      turns.start { [unowned self] in program.forEach(perform) }
    }
  }

  /// Sound, because the store calls its reducer while the run exists.
  private final class Weak: @unchecked Sendable { weak var value: UnlockRun? }

  /// Runs all threads to their ends, then checks that the store still delivers.
  func run() {
    turns.run()
    check()
    let count = calls.count
    store.dispatch(Step())
    if calls.count <= count { fail("G3: nothing is delivered any more") }
    check()
  }

  private func fail(_ text: String) { if fault == nil { fault = text } }

  // MARK: The threads' calls

  private func perform(_ action: Action) {
    switch action {
    case .dispatch: dispatch(Step())
    case .chain: dispatch(Step(isChained: true))
    case .subscribe:
      receivers += 1
      let receiver = receivers
      let subscription = store.subscribe(handler: { [unowned self] in made(receiver, $0) })
      subscriptions.append((receiver, subscription))
    case .cancel:
      if subscriptions.count < 2 { return }
      let (receiver, subscription) = subscriptions.removeLast()
      subscription.cancel()
      canceled[receiver] = calls.count
    case .add:
      receivers += 1
      let receiver = receivers
      store.on(Note.self) { [unowned self] note, _ in made(receiver, note.commit) }
    }
  }

  private func dispatch(_ step: Step) {
    let before = commits
    store.dispatch(step)
    if store.state <= before { fail("G2: a dispatch has returned before it was reduced") }
  }

  private func reduce(_ state: inout Int, _ intent: any Intent) -> [any Effect] {
    commits += 1
    state = commits
    return [Note(commit: commits, isChained: (intent as? Step)?.isChained == true)]
  }

  private func made(_ receiver: Int, _ commit: Int) {
    if isInside { fail("G3: \(receiver) of \(commit) is called inside another call") }
    isInside = true
    calls.append((receiver, commit))
    inside.withLock { $0 += 1 }
    isInside = false
  }

  // MARK: The deliveries

  private func check() {
    let first = calls.filter { $0.receiver < 2 }.map { 2 * $0.commit - $0.receiver }
    if first != Array(-1...(2 * commits)).filter({ $0 != 0 }) {
      fail("G3, G4: after \(commits) commits the calls are \(calls)")
    }
    for receiver in 2..<max(receivers + 1, 2) { check(receiver) }
  }

  /// A receiver that came later gets each commit from one on, until it is canceled.
  private func check(_ receiver: Int) {
    let got = calls.filter { $0.receiver == receiver }.map(\.commit)
    let end = canceled[receiver] == nil ? commits : got.last ?? 0
    if got != Array((got.first ?? end + 1)..<(end + 1)) {
      fail("G8: \(receiver) gets \(got) of \(commits)")
    }
    if let count = canceled[receiver],
      calls.dropFirst(count).count(where: { $0.receiver == receiver }) > 1
    {
      fail("G8: \(receiver) is called after it was canceled")
    }
  }
}
