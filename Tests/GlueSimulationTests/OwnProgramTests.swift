import Dispatch
import Foundation
import Glue
import GlueCluster
import GlueJournal
import GlueTesting
import Testing

@testable import GlueSimulation

/// The project's own kinds of programs: a failure is a defect of the library.
@Suite("The project's own programs, through every crash")
struct OwnProgramTests {
  /// Every way to keep and to deliver.
  static let settings: [Settings] = [
    Settings(.synced, .bySize, .immediate), Settings(.synced, .every(2), .queue),
    Settings(.written, .every(3), .custom), Settings(.written, .bySize, .queue),
    Settings(.interval(.milliseconds(300)), .every(2), .immediate),
  ]

  static var faults: World.Faults {
    var faults = World.Faults()
    faults.crashesAtFileCalls = 0.04
    faults.crashesAtSteps = 0.002
    faults.failedFileCalls = 0.002
    faults.slowFileCalls = 0.01
    faults.clockJumps = 0.001
    faults.duplicatedRequests = 0.02
    return faults
  }

  @Test("a counter with a journal loses nothing that was durable, and counts nothing twice")
  func counter() async {
    await simulateOften(faults: Self.faults) { world in
      let settings = Self.settings[world.pick(0...Self.settings.count - 1)]
      world.tell("\(settings)")
      let synced = Shared(0)
      let machine = world.machine("counter") { try Program($0, settings) }
      machine.afterEachStart { program in
        let count = program.store.state.numbers.count
        world.expect(count >= synced.value, "\(synced.value) were synced, and \(count) are left")
        // A recovered state is on the disk before anything sees it (J3).
        synced.change { $0 = count }
      }
      for number in 1...12 {
        let isSynced = world.pick(0...2) == 0
        let count = try? await machine.call { program in
          program.store.dispatch(CountIntent.add(number))
          let count = program.store.state.numbers.count
          if !isSynced { return 0 }
          try await program.journal.synced()
          return count
        }
        if let count { synced.change { $0 = max($0, count) } }
        try await world.clock.sleep(for: world.pick(.zero...Duration.milliseconds(400)))
      }
      await world.eventually("it answers") {
        try await machine.call { program in
          // Each number that reached the reducer is there once, in order.
          let numbers = program.store.state.numbers
          return numbers == Array(Set(numbers)).sorted()
        }
      }
    }
  }

  @Test("a shutdown at any moment, under every delivery, leaves a clean end and every commit")
  func shutdown() async {
    await simulateOften(faults: Self.faults) { world in
      let settings = Self.settings[world.pick(0...Self.settings.count - 1)]
      world.tell("\(settings)")
      let kept = Shared(0)
      let machine = world.machine("ending") { try Program($0, settings) }
      machine.afterEachStart { program in
        let count = program.store.state.numbers.count
        world.expect(count >= kept.value, "\(kept.value) were written, and \(count) are left")
      }
      for start in 0..<4 {
        for number in 1...world.pick(1...6) {
          _ = try? await machine.call { $0.store.dispatch(CountIntent.add(start * 10 + number)) }
        }
        let count = try? await machine.call { program in
          // The end comes at the very instant at which a handler may return.
          program.store.dispatch(CountIntent.add(start * 10 + 9))
          try await world.clock.sleep(for: .milliseconds(20 * world.pick(0...3)))
          let count = program.store.state.numbers.count
          if world.pick(0...2) == 0 {
            try await program.journal.close()
            // Handlers that return now are not recorded any more.
            try await world.clock.sleep(for: .milliseconds(100))
            return count
          }
          let left = await program.store.shutdown(
            finishing: world.pick(.zero...Duration.milliseconds(200)), within: .seconds(30))
          world.tell("shut down; left: \(left.count)")
          return count
        }
        if let count { kept.change { $0 = max($0, count) } }
        machine.crash(power: world.pick(0...1) == 0)
      }
      await handlesEveryNote(machine, in: world)
    }
  }

  private func handlesEveryNote(_ machine: Machine<Program>, in world: World) async {
    await world.eventually("every note is handled") {
      try await machine.call { program in
        let state = program.store.state
        return state.handled.count == state.numbers.count
      }
    }
  }

  @Test("handlers that are added late get every effect that must happen")
  func lateHandlers() async {
    await simulateOften(faults: Self.faults) { world in
      let settings = Self.settings[world.pick(0...Self.settings.count - 1)]
      let machine = world.machine("late") { node in
        try await Program(node, settings, addingHandlersAfter: .milliseconds(300))
      }
      for number in 1...10 {
        _ = try? await machine.call { $0.store.dispatch(CountIntent.add(number)) }
        try await world.clock.sleep(for: world.pick(.zero...Duration.milliseconds(400)))
      }
      await handlesEveryNote(machine, in: world)
    }
  }

  @Test("the recipe of a supervisor continues with its list, after a kill and after an orderly end")
  func supervisor() async {
    await simulateOften() { world in
      let children = Shared<[String: Int]>([:])
      let machine = world.machine("supervisor") { node in
        // Children of a killed supervisor see that its pipe closes, and exit.
        children.change { $0 = [:] }
        return try Supervisor(node, children)
      }
      let commands = ["web", "mail", "cron"]
      let isListed = Shared<[String: Bool?]>([:])
      machine.afterEachStart { supervisor in
        let listed = supervisor.store.state.commands
        for (command, isKnown) in isListed.value.sorted(by: { $0.key < $1.key }) {
          guard let isKnown else { continue }
          world.expect(listed.contains(command) == isKnown, "\(command) is listed: \(!isKnown)")
        }
      }
      for _ in 1...12 {
        let (command, runs) = (commands[world.pick(0...2)], world.pick(0...2) > 0)
        // Without an answer it may be either.
        isListed.change { $0[command] = .some(nil) }
        let answer: Void? = try? await machine.call { supervisor in
          supervisor.store.dispatch(runs ? ServiceIntent.run(command) : .stop(command))
          try await supervisor.journal.synced()
        }
        if answer != nil { isListed.change { $0[command] = runs } }
        try await world.clock.sleep(for: world.pick(.zero...Duration.seconds(1)))
        if world.pick(0...5) == 0 {
          _ = try? await machine.call { supervisor in
            await supervisor.store.perform(ServiceIntent.end)
            await supervisor.store.shutdown()
            world.expect(children.value.allSatisfy { $0.value == 0 }, "children are left")
          }
          machine.crash()
        }
      }
      await world.eventually("each listed command runs once, and no other does") {
        let listed = try await machine.call { $0.store.state.commands }
        let expected = Dictionary(uniqueKeysWithValues: listed.map { ($0, 1) })
        return children.value.filter { $0.value != 0 } == expected
      }
    }
  }
}

/// Simulates with `GLUE_SEEDS` seeds, 60 by default, from `GLUE_SEEDS_FROM` on, and the first
/// `GLUE_SEEDS_TWICE` of them twice, 10 by default.
func simulateOften(
  dividedBy divisor: Int = 1, faults: World.Faults = World.Faults(), fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  body: @escaping @Sendable (World) async throws -> Void
) async {
  let environment = ProcessInfo.processInfo.environment
  let count = environment["GLUE_SEEDS"].flatMap(UInt64.init) ?? 60
  let first = environment["GLUE_SEEDS_FROM"].flatMap(UInt64.init) ?? 0
  let twice = environment["GLUE_SEEDS_TWICE"].flatMap(Int.init) ?? 10
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  let simulation = Simulation(faults: faults, place: place, body: body)
  let seeds = first..<first + max(1, count / UInt64(divisor))
  await simulation.run(Array(seeds), sample: max(1, twice / divisor), within: nil)
}

struct Settings: CustomStringConvertible, Sendable {
  enum Place: Sendable { case immediate, queue, custom }

  let durability: Durability
  let snapshots: Snapshots
  let place: Place

  init(_ durability: Durability, _ snapshots: Snapshots, _ place: Place) {
    (self.durability, self.snapshots, self.place) = (durability, snapshots, place)
  }

  var delivery: Delivery {
    switch place {
    case .immediate: .immediate
    case .queue: .queue(DispatchQueue(label: "deliveries"))
    case .custom: .custom { $0() }
    }
  }

  var description: String { "\(durability), \(snapshots), \(place)" }
}

// MARK: - A counter whose notes must be handled

struct Count: Codable, Sendable {
  var numbers: [Int] = []
  var handled: Set<Int> = []
}

enum CountIntent: Intent, Codable { case add(Int), handled(Int) }
struct Note: Effect, Codable, Equatable { var number: Int }

@Sendable func counting(state: inout Count, intent: CountIntent) -> [any Effect] {
  switch intent {
  case .add(let number):
    if state.numbers.contains(number) { return [] }
    state.numbers.append(number)
    state.numbers.sort()
    return [Note(number: number)]
  case .handled(let number):
    state.handled.insert(number)
    return []
  }
}

struct Program: Sendable {
  let store: Store<Count>
  let journal: Journal<Count>

  static let format = JournalFormat(
    of: Count.self, intents: [.named("count", CountIntent.self)],
    effects: [.named("note", Note.self)])

  init(_ node: Node, _ settings: Settings) throws {
    journal = try Journal(
      at: "/count", on: node.disk, Self.format, durability: settings.durability,
      snapshots: settings.snapshots)
    store = try Store(
      state: Count(), reducer: counting, delivery: settings.delivery, clock: node.clock,
      journal: journal, handlers: { Self.addHandlers(to: $0, on: node) })
  }

  init(_ node: Node, _ settings: Settings, addingHandlersAfter time: Duration) async throws {
    journal = try Journal(
      at: "/count", on: node.disk, Self.format, durability: settings.durability,
      snapshots: settings.snapshots)
    store = try Store(
      state: Count(), reducer: counting, delivery: settings.delivery, clock: node.clock,
      report: { _ in }, journal: journal)
    try await node.clock.sleep(for: .milliseconds(node.number() % 50))
    Task(executorPreference: node.clock.executor) { [store] in
      try await node.clock.sleep(for: time)
      Self.addHandlers(to: store, on: node)
    }
  }

  private static func addHandlers(to handlers: some TakesHandlers, on node: Node) {
    handlers.on(Note.self) { note, dispatch async in
      try? await node.clock.sleep(for: .milliseconds(20 * node.world.pick(0...3)))
      if Task.isCancelled { return }
      dispatch(CountIntent.handled(note.number))
    }
  }
}

// MARK: - The supervisor of the recipe

struct Services: Codable, Equatable, Sendable {
  var commands: [String] = []
  var isEnding = false
}

enum ServiceIntent: Intent, Codable { case began, run(String), stop(String), end }
struct RunService: Effect, Equatable { var command: String }

@Sendable func services(state: inout Services, intent: ServiceIntent) -> [any Effect] {
  switch intent {
  case .began: state.isEnding = false
  case .run(let command):
    if !state.commands.contains(command) { state.commands.append(command) }
  case .stop(let command): state.commands.removeAll { $0 == command }
  case .end: state.isEnding = true
  }
  return []
}

@Sendable func children(state: Services) -> [LastingEffect] {
  state.isEnding ? [] : state.commands.map { RunService(command: $0).lasting(id: $0) }
}

struct Supervisor: Sendable {
  let store: Store<Services>
  let journal: Journal<Services>

  init(_ node: Node, _ running: Shared<[String: Int]>) throws {
    let format = JournalFormat(
      of: Services.self, intents: [.named("service", ServiceIntent.self)])
    let clock = node.clock
    journal = try Journal(at: "/var/lib/supervisor", on: node.disk, format)
    store = try Store(
      state: Services(), reducer: services, lasting: children, clock: clock, journal: journal,
      first: [ServiceIntent.began],
      handlers: { handlers in
        handlers.on(RunService.self) { service, _ async in
          repeat {
            running.change { $0[service.command, default: 0] += 1 }
            try? await clock.sleep(for: .seconds(world(node)))
            running.change { $0[service.command, default: 0] -= 1 }
          } while (try? await clock.sleep(for: .milliseconds(1))) != nil
        }
      })
  }
}

/// How many seconds a child runs before it exits.
private func world(_ node: Node) -> Int { node.world.pick(1...20) }
