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

  /// The errands that wait for a day to come, and how many of them were canceled.
  package var late: [Int] = []
  package var canceled = 0
  package var text = ""

  package init() {}
}

package enum ErrandsIntent: Intent, Codable {
  /// Opens an errand of a process.
  case open(String, by: Int32)
  case done(Int)

  /// Opens an errand for another day, unless there are 20.
  case later

  /// Cancels the oldest of these.
  case cancel
}

/// An errand that is done within its delivery.
package struct ShortErrand: Effect, Codable { package let number: Int, process: Int32 }

/// An errand that a task does.
package struct LongErrand: Effect, Codable { package let number: Int, process: Int32 }

/// An errand that waits for a day to come.
package struct LateErrand: Effect, Codable { package let number: Int }

package func errands(state: inout Errands, intent: ErrandsIntent) -> [any Effect] {
  state.count += 1
  switch intent {
  case .open(let text, let process):
    state.text = text
    state.open.append(state.count)
    let isLong = state.open.count % 2 == 0
    return [
      isLong
        ? LongErrand(number: state.count, process: process)
        : ShortErrand(number: state.count, process: process)
    ]
  case .done(let number):
    guard let index = state.open.firstIndex(of: number) else { return [] }
    state.open.remove(at: index)
    state.done += 1
    return []
  case .later:
    if state.late.count == 20 { return [] }
    state.late.append(state.count)
    return [
      LateErrand(number: state.count).scheduled(.delay(.seconds(100_000)), id: "\(state.count)")
    ]
  case .cancel:
    if state.late.isEmpty { return [] }
    state.canceled += 1
    return [CancelEffects(id: "\(state.late.removeFirst())")]
  }
}

package let errandsFormat = JournalFormat(
  of: Errands.self, intents: [.named("errands", ErrandsIntent.self)],
  effects: [
    .named("short", ShortErrand.self), .named("long", LongErrand.self),
    .named("late", LateErrand.self),
  ])

/// Does errands and shuts down, again and again, until the process is killed.
///
/// It prints `begins` and `begun` around the creation of its store, and `ends` and `ended COUNT` around
/// each shutdown. Each commit that it gets prints `told COUNT`, and each errand of an earlier process
/// `again NUMBER`.
func runErrands(
  _ journal: Journal<Errands>, delivery name: String, text: String, _ end: End
) async throws {
  let loop = Loop()
  let me = getpid()
  end.reach("begins")
  let store = try Store(
    state: Errands(), reducer: errands, delivery: loop.delivery(name), journal: journal,
    first: Array(repeating: ErrandsIntent.open(text, by: me), count: 4)
      + [ErrandsIntent.later, .later, .cancel],
    handlers: { handlers in
      handlers.on(ShortErrand.self) { errand, dispatch in
        if errand.process != me { end.reach("again \(errand.number)") }
        dispatch(ErrandsIntent.done(errand.number))
      }
      handlers.on(LongErrand.self) { (errand, dispatch) async in
        // Every other one is left to the next process.
        if errand.process == me, errand.number % 2 == 0 {
          try? await Task.sleep(for: .seconds(100_000))
          return
        }
        if errand.process != me { end.reach("again \(errand.number)") }
        dispatch(ErrandsIntent.done(errand.number))
      }
      handlers.on(LateErrand.self) { (_, _) async in end.reach("early") }
    })
  let subscription = store.subscribe(selector: \.count) { end.reach("told \($0)") }
  // It is slow, so that much time lies between a cancellation's reducer and its record.
  let slow = store.subscribe(selector: { state in
    usleep(20)
    return state.canceled
  }) { _ in }
  end.reach("begun")
  for _ in 0..<10 {
    for intent in [ErrandsIntent.open(text, by: me), .later, .cancel] { store.dispatch(intent) }
  }
  while true {
    let count = store.state.count
    end.reach("ends")
    if name == "dead" { loop.end() }
    await store.shutdown()
    end.reach("ended \(count)")
    for intent in [ErrandsIntent.done(0), .cancel, .later, .cancel] { store.dispatch(intent) }
  }
  withExtendedLifetime((subscription, slow)) {}
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
