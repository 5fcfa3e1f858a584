import Glue

/// The rules of the policies, written a second time and more simply.
///
/// Everything happens in one list, in steps of time, without tasks, threads and commits.
struct PolicyModel {
  struct Work {
    let name: String
    let id: Int
    let policy: EffectPolicy

    /// How long it runs; nil for a synchronous handler, which ends as it starts.
    let duration: Int?
  }

  private enum Phase { case queued, held, blocked, running, gone }

  private struct Window {
    var opener: Int
    var held: Int?
  }

  private enum Event {
    case start(Int)
    case end(Int)
    case close(id: Int, opener: Int)
  }

  private(set) var lines: [TimedLine] = []
  private(set) var notes: [String] = []
  private(set) var now = 0

  /// Whether turns come at once, not only in `deliver()`.
  let isImmediate: Bool

  private var works: [Work] = []
  private var phases: [Phase] = []

  /// The queued, waiting and running works of each id, in the order in which they came to be that.
  private var members: [Int: [Int]] = [:]
  private var windows: [Int: Window] = [:]
  private var turns: [Int] = []

  /// The ids of tasks that were canceled and have not returned, in the order in which they do.
  private var leaving: [Int] = []
  private var events: [(time: Int, what: Event)] = []

  /// Works that have waited and start at their next turn.
  private var isDue: Set<Int> = []

  init(isImmediate: Bool) { self.isImmediate = isImmediate }

  /// Whether nothing is pending or in flight.
  var isIdle: Bool { phases.allSatisfy { $0 == .gone } }

  mutating func emit(_ work: Work) {
    let number = works.count
    works.append(work)
    phases.append(.queued)
    switch work.policy {
    case .latest, .restarting, .debounce:
      cancel(id: work.id)
    case .leading:
      if !members[work.id, default: []].isEmpty { return phases[number] = .gone }
    case .throttle(let duration, let latest):
      if let window = windows[work.id] {
        if window.held != nil && !latest { return phases[number] = .gone }
        if let held = window.held { phases[held] = .gone }
        phases[number] = .held
        windows[work.id]?.held = number
        return
      }
      if duration > .zero { windows[work.id] = Window(opener: number) }
    case .sequential, .concurrent, .delay:
      break
    }
    members[work.id, default: []].append(number)
    turns.append(number)
  }

  mutating func cancel(id: Int) {
    for number in members.removeValue(forKey: id) ?? [] {
      if phases[number] == .running {
        write("x", number)
        if works[number].duration != nil { leaving.append(id) }
      }
      phases[number] = .gone
    }
    if let held = windows.removeValue(forKey: id)?.held { phases[held] = .gone }
  }

  mutating func deliver() {
    while !turns.isEmpty { takeTurn(turns.removeFirst()) }
  }

  /// Lets the tasks return that were canceled.
  mutating func rest() {
    while !leaving.isEmpty {
      giveTurnToFirst(of: leaving.removeFirst())
      if isImmediate { deliver() }
    }
  }

  mutating func advance(to end: Int) {
    while let index = events.indices.min(by: { events[$0].time < events[$1].time }),
      events[index].time <= end
    {
      let event = events.remove(at: index)
      now = event.time
      happen(event.what)
      if isImmediate { deliver() }
    }
    now = end
  }

  private mutating func takeTurn(_ number: Int) {
    if phases[number] == .gone { return }
    let work = works[number]
    if work.policy == .restarting && hasTasks(work.id) { return phases[number] = .blocked }
    if !isDue.contains(number) {
      switch work.policy {
      case .delay(let duration), .debounce(let duration):
        if duration > .zero { return events.append((now + duration.steps, .start(number))) }
      case .sequential:
        if members[work.id]?.first != number { return phases[number] = .blocked }
      case .latest, .restarting, .leading, .concurrent, .throttle:
        break
      }
    }
    start(number)
  }

  private mutating func start(_ number: Int) {
    let work = works[number]
    phases[number] = .running
    write("[", number)
    if case .throttle(let duration, _) = work.policy, windows[work.id]?.opener == number {
      events.append((now + duration.steps, .close(id: work.id, opener: number)))
    }
    guard let duration = work.duration else { return end(number) }
    events.append((now + duration, .end(number)))
  }

  private mutating func end(_ number: Int) {
    let work = works[number]
    write("]", number)
    notes.append(work.name)
    phases[number] = .gone
    members[work.id]?.removeAll { $0 == number }
    giveTurnToFirst(of: work.id)
  }

  /// Whether a task runs, or was canceled and has not returned.
  private func hasTasks(_ id: Int) -> Bool {
    leaving.contains(id)
      || members[id, default: []].contains { phases[$0] == .running && works[$0].duration != nil }
  }

  private mutating func giveTurnToFirst(of id: Int) {
    guard let next = members[id]?.first, phases[next] == .blocked else { return }
    if works[next].policy == .restarting && hasTasks(id) { return }
    phases[next] = .queued
    giveTurn(next)
  }

  private mutating func happen(_ event: Event) {
    switch event {
    case .start(let number): if phases[number] != .gone { giveTurn(number) }
    case .end(let number): if phases[number] != .gone { end(number) }
    case .close(let id, let opener): if windows[id]?.opener == opener { closeWindow(id) }
    }
  }

  private mutating func closeWindow(_ id: Int) {
    guard let held = windows.removeValue(forKey: id)?.held else { return }
    if case .throttle(let duration, _) = works[held].policy, duration > .zero {
      windows[id] = Window(opener: held)
    }
    phases[held] = .queued
    members[id, default: []].append(held)
    giveTurn(held)
  }

  private mutating func giveTurn(_ number: Int) {
    isDue.insert(number)
    turns.append(number)
  }

  private mutating func write(_ what: Character, _ number: Int) {
    lines.append(TimedLine(time: Double(now), what: what, name: works[number].name))
  }
}

extension Duration {
  /// The unit of the model's time.
  static let step = Duration.microseconds(1)

  var steps: Int { Int(self / .step) }
}
