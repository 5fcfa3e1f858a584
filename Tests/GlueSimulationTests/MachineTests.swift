import Dispatch
import Foundation
import Glue
import GlueJournal
import GlueTesting
import Testing

@testable import GlueSimulation

@Suite("Machines, their crashes and their tasks")
struct MachineTests {
  /// Runs a body once, without faults unless it sets some.
  static func run(
    _ seed: UInt64 = 1, _ limits: World.Limits = World.Limits(),
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async -> Outcome {
    let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
    var simulation = Simulation(faults: .none, place: place, body: body)
    simulation.limits = limits
    return await simulation.run(seed)
  }

  @Test("nothing of a killed process runs on: no task, no deinit, and its locks stay locked")
  func exactKill() async {
    final class Noisy: Sendable {
      let world: World
      init(_ world: World) { self.world = world }
      deinit { world.tell("deinit") }
    }
    let outcome = await Self.run { world in
      let machine = world.machine("m") { node in
        let (noisy, lock) = (Noisy(world), NSLock())
        Task(executorPreference: node.clock.executor) {
          while true {
            try await node.clock.sleep(for: .milliseconds(10))
            world.tell("ticks \(withExtendedLifetime(noisy) { node.name })")
          }
        }
        return lock
      }
      try await world.clock.sleep(for: .milliseconds(25))
      let answer: Void? = try? await machine.call { lock in
        lock.withLock {
          machine.crash()
          world.tell("goes on")
        }
      }
      world.expect(answer == nil, "the call was answered")
      world.tell("the client goes on")
    }
    let texts = outcome.story.all.map { $0.dropFirst(13) }
    #expect(outcome.failure == nil)
    #expect(texts.filter { $0 == "ticks m" }.count > 1)
    #expect(
      texts.filter { $0 != "ticks m" } == [
        "m: start 1", "m: killed by the test", "m: call 1 ends without an answer",
        "the client goes on",
      ])
  }

  @Test("a power failure loses what wasn't synced, and a kill doesn't")
  func power() async {
    let outcome = await Self.run { world in
      let machine = world.machine("m") { node in
        try OrderService(disk: node.disk, clock: node.clock, bank: RemoteBank(TestBank(), node))
      }
      try await world.clock.sleep(for: .milliseconds(1))
      for isPower in [false, true] {
        machine.crash(power: isPower)
        world.expect(!machine.isUp, "it is up")
        try await world.clock.sleep(for: .seconds(6))
        world.expect(machine.isUp, "it is down")
      }
    }
    #expect(outcome.failure == nil)
    #expect(outcome.story.all.filter { $0.hasSuffix("power failure by the test") }.count == 1)
    #expect(outcome.story.all.filter { $0.hasSuffix("killed by the test") }.count == 1)
  }

  @Test("tasks without an executor, actors and Task.sleep belong to the process that made them")
  func strayTasks() async {
    actor Counter {
      var count = 0
      func add() -> Int {
        count += 1
        return count
      }
    }
    let body: @Sendable (World) async throws -> Void = { world in
      let machines = ["a", "b"].map { name in
        world.machine(name) { node in
          let (counter, start) = (Counter(), node.number() % 97)
          for task in 0..<3 {
            Task.detached {
              try await Task.sleep(for: .seconds(task))
              for _ in 0..<20 {
                try await node.clock.sleep(for: .milliseconds(100))
                world.tell("\(name) \(start) \(task) \(await counter.add())")
              }
            }
          }
        }
      }
      try await world.clock.sleep(for: .milliseconds(350))
      machines[0].crash()
      world.tell("crashed")
      try await world.clock.sleep(for: .seconds(20))
    }
    let (first, second) = (await Self.run(3, body: body), await Self.run(3, body: body))
    #expect(first.failure == nil && first.foreign.isEmpty)
    #expect(first.story == second.story)
    let texts = first.story.all.map { String($0.dropFirst(13)) }
    let crash = texts.firstIndex(of: "crashed") ?? 0
    // The second start counts anew; the other machine was never stopped.
    #expect(texts[..<crash].contains { $0.hasPrefix("a ") })
    #expect(texts.filter { $0.hasPrefix("a ") && $0.hasSuffix(" 60") }.count == 1)
    #expect(texts.filter { $0.hasPrefix("b ") && $0.hasSuffix(" 60") }.count == 1)
  }

  @Test("work outside continues when the machine that asked for it crashes")
  func outside() async {
    let done = Shared(0)
    let outcome = await Self.run { world in
      let machine = world.machine("m") { node in
        Task(executorPreference: node.clock.executor) {
          try await node.call("long work") {
            try await world.clock.sleep(for: .seconds(1))
            done.change { $0 += 1 }
          }
        }
      }
      try await world.clock.sleep(for: .milliseconds(500))
      machine.crash()
      world.expect(done.value == 0, "it is done")
      try await world.clock.sleep(for: .seconds(1))
      world.expect(done.value == 1, "it isn't done")
    }
    #expect(outcome.failure == nil)
  }

  @Test("deliveries that another thread makes stay in order, and waits know them")
  func contendedDeliveries() async {
    let outcome = await Self.run { world in
      world.faults.contendedDeliveries = 1
      let machine = world.machine("m") { node in
        Store(state: Count(), reducer: counting, clock: node.clock, report: { _ in })
      }
      try await world.clock.sleep(for: .seconds(1))
      try await machine.call { store in
        let seen = Shared<[Int]>([])
        let subscription = store.subscribe(selector: \.numbers.count) { count in
          seen.change { $0.append(count) }
          if count == 2 { store.dispatch(CountIntent.add(9)) }
        }
        for number in 1...3 { store.dispatch(CountIntent.add(number)) }
        world.expect(seen.value == [], "seen in the calls: \(seen.value)")
        await store.delivered()
        world.expect(seen.value == [0, 1, 2, 3, 4], "seen: \(seen.value)")
        store.dispatch(CountIntent.add(5))
        await store.shutdown()
        world.expect(seen.value.last == 5, "seen at the end: \(seen.value)")
        withExtendedLifetime(subscription) {}
      }
    }
    #expect(outcome.failure == nil)
    #expect(outcome.story.all.contains { $0.hasSuffix("m: another thread delivers") })
  }

  // MARK: - Mistakes

  @Test("a journal on the system's disk is refused, before it makes a directory there")
  func systemDisk() async {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())").path
    let outcome = await Self.run { world in
      _ = world.machine("m") { _ in try Journal(at: path, Program.format) }
      try await world.clock.sleep(for: .seconds(1))
    }
    #expect(
      outcome.failure
        == "m: a journal at \(path) is on the system's disk. Put it on the machine's, by `on: node.disk`"
    )
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("a store with a journal and another clock than the machine's is refused")
  func otherClocks() async {
    for (isSystems, name) in [(true, "ContinuousClock"), (false, "the clock of the test")] {
      let outcome = await Self.run { world in
        _ = world.machine("m") { node in
          let journal = try Journal(at: "/count", on: node.disk, Program.format)
          let clock: any Clock<Duration> = isSystems ? ContinuousClock() : world.clock
          return try Store(state: Count(), reducer: counting, clock: clock, journal: journal)
        }
        try await world.clock.sleep(for: .seconds(1))
      }
      #expect(
        outcome.failure
          == "m: a store with a journal measures time by \(name). Give it the machine's time, by "
          + "`clock: node.clock`")
    }
  }

  @Test("a dispatch from a thread outside is delivered in the simulation, and counted")
  func foreignDispatch() async {
    let count = Shared(0)
    let outcome = await Self.run { world in
      let machine = world.machine("m") { node in
        Store(state: Count(), reducer: counting, clock: node.clock)
      }
      try await world.clock.sleep(for: .seconds(1))
      try await machine.call { store in
        let subscription = store.subscribe(selector: \.numbers.count) { number in
          count.change { $0 = number }
        }
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          store.dispatch(CountIntent.add(1))
          isDone.signal()
        }
        isDone.wait()
        world.expect(count.value == 0, "it was delivered outside")
        await store.delivered()
        world.expect(count.value == 1, "it wasn't delivered")
        withExtendedLifetime(subscription) {}
      }
    }
    #expect(outcome.failure == nil)
    #expect(outcome.foreign == ["m": 1])
  }

  // MARK: - Watchdogs

  @Test("a program that ends at each start is a crash loop")
  func crashLoop() async {
    struct Broken: Error {}
    let outcome = await Self.run { world in
      _ = world.machine("m") { _ in throw Broken() }
      await world.eventually("it works", within: .seconds(600)) { false }
    }
    #expect(outcome.failure == "m: a crash loop: it has ended 10 times for no fault")
    #expect(outcome.story.shortened(to: 40).contains { $0.hasSuffix("… and so 9 more times") })
  }

  @Test("a lock that a dead process held, and that the test shares with it, is named as a deadlock")
  func deadlock() async {
    var limits = World.Limits()
    limits.patience = .seconds(3)
    let outcome = await Self.run(1, limits) { world in
      let lock = NSLock()
      let machine = world.machine("m") { _ in }
      try await world.clock.sleep(for: .seconds(1))
      _ = try? await machine.call { _ in lock.withLock { machine.crash() } }
      lock.withLock {}
    }
    #expect(outcome.failure?.hasPrefix("a step of the test has not ended for 3.0 s") == true)
  }

  @Test("a test that waits for something that never happens ends")
  func nothing() async {
    let outcome = await Self.run { world in
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    #expect(outcome.failure?.hasPrefix("nothing can go on") == true)
    #expect(outcome.story.all.last?.contains("0.000000  FAILED: nothing can go on") == true)
  }

  @Test("a program that never rests is endless, in steps or in time")
  func endless() async {
    var limits = World.Limits()
    limits.steps = 1000
    let busy = await Self.run(1, limits) { _ in while true { await Task.yield() } }
    #expect(busy.failure == "it is endless: 1000 steps have run")
    limits = World.Limits()
    limits.time = .seconds(100)
    let slow = await Self.run(1, limits) { world in
      while true { try await world.clock.sleep(for: .seconds(1)) }
    }
    #expect(slow.failure?.hasPrefix("it is endless: 100.0 seconds of virtual time") == true)
  }

  @Test("the main actor's jobs are steps, also where it is held when its process is killed")
  func mainActor() async {
    let body: @Sendable (World) async throws -> Void = { world in
      let machine = world.machine("m") { node in try await Window(node) }
      for number in 1...20 {
        try? await machine.call { await $0.press(number) }
        try await world.clock.sleep(for: .milliseconds(300))
      }
      await world.eventually("a press is seen") {
        try await machine.call { window in
          await window.press(0)
          return await window.seen.last == 0
        }
      }
    }
    var faults = World.Faults()
    faults.crashesAtCalls = 0.3
    var crashes = 0
    for seed in UInt64(0)..<10 {
      let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
      let simulation = Simulation(faults: faults, place: place, body: body)
      let (first, second) = (await simulation.run(seed), await simulation.run(seed))
      #expect(first.failure == nil && first.foreign.isEmpty)
      #expect(first.story == second.story && first.steps == second.steps)
      crashes += first.story.all.count { $0.contains("after press") }
    }
    #expect(crashes > 5)
  }

  @Test("the main actor keeps the order of its tasks, and gets immediate deliveries at once")
  func mainActorOrder() async {
    for seed in UInt64(0)..<20 {
      let outcome = await Self.run(seed) { world in
        let machine = world.machine("m") { $0 }
        try await world.clock.sleep(for: .seconds(1))
        try await machine.call { node in
          await MainActor.run {
            let order = Shared<[Int]>([])
            for number in 1...5 { Task { @MainActor in order.change { $0.append(number) } } }
            Task { @MainActor in world.tell("order \(order.value)") }
            let text = Shared("")
            let store = Store(
              state: 0,
              reducer: { (state: inout Int, intent: Press) in
                state = intent.number
                return []
              }, clock: node.clock)
            let subscription = store.subscribe { @MainActor (state: Int) in
              text.change { $0 = "\(state)" }
            }
            store.dispatch(Press(number: 9))
            world.expect(text.value == "9", "the text is \(text.value)")
            subscription.cancel()
          }
        }
      }
      #expect(outcome.failure == nil)
      #expect(outcome.story.all.contains { $0.hasSuffix("order [1, 2, 3, 4, 5]") })
    }
  }
}

/// A program whose store, handler and subscriber use the main actor.
@MainActor
private final class Window {
  private(set) var seen: [Int] = []
  private let store: Store<Int>
  private let node: Node
  private var subscription: Subscription?

  init(_ node: Node) throws {
    self.node = node
    store = Store(
      state: 0,
      reducer: { (state: inout Int, intent: Press) in
        state = intent.number
        return [Draw(number: intent.number)]
      }, delivery: .main, clock: node.clock,
      handlers: { $0.on(Draw.self) { @MainActor draw, _ in MainActor.assertIsolated() } })
    subscription = store.subscribe { [weak self] (state: Int) in
      MainActor.assumeIsolated { self?.seen.append(state) }
    }
  }

  func press(_ number: Int) async {
    // Crashes come in the middle of the main actor's jobs here.
    try? await node.call("press \(number)") {}
    await store.perform(Press(number: number))
    await Task.yield()
  }
}

private struct Press: Intent { var number: Int }
private struct Draw: Effect { var number: Int }

extension MachineTests {
  static func run(
    _ seed: UInt64, body: @escaping @Sendable (World) async throws -> Void
  ) async -> Outcome { await run(seed, World.Limits(), body) }
}

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
  private let content: Locked<Value>

  init(_ value: Value) { content = Locked(value) }

  var value: Value { content.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) { content.withLock { body(&$0) } }
}
