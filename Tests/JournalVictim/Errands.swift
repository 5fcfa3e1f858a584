import Dispatch
import Foundation
package import Glue
package import GlueJournal
import Synchronization

/// The state of a program with errands that must be done: its commits, and the open errands.
package struct Errands: Codable, Equatable, Sendable {
  package var count = 0
  package var open: [Int] = []
  package var done = 0
  package var text = ""

  package init() {}
}

package enum ErrandsIntent: Intent, Codable {
  case open(String)
  case done(Int)
}

/// An errand that is done within its delivery.
package struct ShortErrand: Effect, Codable { package let number: Int }

/// An errand that a task does.
package struct LongErrand: Effect, Codable { package let number: Int }

package func errands(state: inout Errands, intent: ErrandsIntent) -> [any Effect] {
  state.count += 1
  switch intent {
  case .open(let text):
    state.text = text
    state.open.append(state.count)
    let isLong = state.open.count % 2 == 0
    return [isLong ? LongErrand(number: state.count) : ShortErrand(number: state.count)]
  case .done(let number):
    guard let index = state.open.firstIndex(of: number) else { return [] }
    state.open.remove(at: index)
    state.done += 1
    return []
  }
}

package let errandsFormat = JournalFormat(
  of: Errands.self, intents: [.named("errands", ErrandsIntent.self)],
  effects: [.named("short", ShortErrand.self), .named("long", LongErrand.self)])

/// Does errands and shuts down, again and again, until the process is killed.
///
/// It prints `begins` and `begun` around its block of handlers, and `ends` and `ended COUNT` around
/// each shutdown. Each commit that it gets prints `told COUNT`, and each errand of an earlier process
/// `again NUMBER`.
func runErrands(
  _ journal: Journal<Errands>, delivery name: String, text: String, _ end: End
) async throws {
  let loop = Loop()
  var subscription: Subscription?
  let store = try Store(
    state: Errands(), reducer: errands, delivery: loop.delivery(name), journal: journal
  ) { store in
    end.reach("begins")
    let last = store.state.count
    for _ in 0..<3 { store.dispatch(ErrandsIntent.open(text)) }
    store.on(ShortErrand.self) { (errand: ShortErrand, dispatch: @escaping DispatchFunc) -> Void in
      if errand.number <= last { end.reach("again \(errand.number)") }
      dispatch(ErrandsIntent.done(errand.number))
    }
    store.on(LongErrand.self) { (errand: LongErrand, dispatch: @escaping DispatchFunc) async in
      // Every other one is left to the next process.
      if errand.number > last, errand.number % 2 == 0 {
        try? await Task.sleep(for: .seconds(100_000))
        return
      }
      if errand.number <= last { end.reach("again \(errand.number)") }
      dispatch(ErrandsIntent.done(errand.number))
    }
    subscription = store.subscribe(selector: \.count) { end.reach("told \($0)") }
    store.dispatch(ErrandsIntent.open(text))
    end.reach("begun")
  }
  for _ in 0..<10 { store.dispatch(ErrandsIntent.open(text)) }
  while true {
    let count = store.state.count
    end.reach("ends")
    if name == "dead" { loop.end() }
    await store.shutdown()
    end.reach("ended \(count)")
    for _ in 0..<3 { store.dispatch(ErrandsIntent.done(0)) }
  }
  withExtendedLifetime(subscription) {}
}

/// Kills the process when it has printed a certain line, or an `ended`, and yielded some times since.
final class End: Sendable {
  private let line: String
  private let yields: Int
  private let hasBegun = Atomic(false)

  init(after line: String, yields: Int) { (self.line, self.yields) = (line, yields) }

  fileprivate func reach(_ place: String) {
    say(place)
    if !place.hasPrefix(line) && !place.hasPrefix("ended") { return }
    if hasBegun.exchange(true, ordering: .relaxed) { return }
    if yields == 0 { killProcess() } else { Thread.detachNewThread { self.killProcess() } }
  }

  private func killProcess() {
    for _ in 0..<yields { sched_yield() }
    kill(getpid(), SIGKILL)
  }
}

/// A thread that runs the bodies of deliveries.
private final class Loop: Sendable {
  private let thread = DispatchQueue(label: "loop")
  private let hasEnded = Atomic(false)

  func delivery(_ name: String) -> Delivery {
    switch name {
    case "immediate": .immediate
    case "queue": .queue(thread)
    case "main": .main
    default:
      .custom { body in
        if self.hasEnded.load(ordering: .relaxed) { return self.keep(body) }
        self.thread.async { self.hasEnded.load(ordering: .relaxed) ? self.keep(body) : body() }
      }
    }
  }

  func end() { hasEnded.store(true, ordering: .relaxed) }

  /// A loop that has ended keeps its bodies, and never runs them.
  private func keep(_ body: @escaping @Sendable () -> Void) {
    _ = Unmanaged.passRetained(Kept(body: body))
  }

  private final class Kept: Sendable {
    let body: @Sendable () -> Void
    init(body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
