import Dispatch
import Foundation
import Glue
import GlueJournal
import GlueTesting
import Testing

@testable import GlueSimulation

@Suite("What a program takes from the system")
struct SystemTests {
  @Test("the time, sleeps and chance of the system come from the seed, also on a busy machine")
  func timeAndChance() async {
    let body: @Sendable (World) async throws -> Void = { world in
      _ = world.machine("m") { node in
        let start = (Date(), ContinuousClock.now, SuspendingClock.now)
        Task {
          for milliseconds in [1, 7, 133, 1001] {
            try await Task.sleep(for: .milliseconds(milliseconds) + .microseconds(3))
            try await Task.sleep(nanoseconds: 1_000_017)
            sleepInStep(0.25)
            usleep(11)
            world.tell(
              """
              \(Date().timeIntervalSince1970) \(start.0.distance(to: Date())) \(time(nil)) \
              \(start.1.duration(to: .now)) \(start.2.duration(to: .now)) \
              \(world.clock.now.offset)
              """)
          }
          var generator = SystemRandomNumberGenerator()
          world.tell(
            """
            \(UUID()) \(UUID()) \(Int.random(in: 0...Int.max)) \(Array(1...20).shuffled()) \
            \(generator.next())
            """)
        }
      }
      try await world.clock.sleep(for: .seconds(5))
    }
    let isOver = Shared(false)
    for _ in 0..<6 { Thread.detachNewThread { while !isOver.value {} } }
    let (first, second) = (
      await MachineTests.run(3, body: body), await MachineTests.run(3, body: body)
    )
    let other = await MachineTests.run(4, body: body)
    isOver.change { $0 = true }
    #expect(first.failure == nil && first.foreign.isEmpty)
    #expect(first.story == second.story && first.steps == second.steps)
    let lines = first.story.all.map { $0.dropFirst(13).split(separator: " ").map(String.init) }
    #expect(lines.count == 6)
    // Each sleep takes exactly its time.
    #expect(lines[4][0].hasPrefix("1700000002.146056"))
    #expect(lines[4][2] == "1700000002")
    #expect(
      lines[4][3] == "2.146056068" && lines[4][5] == lines[4][3] && lines[4][7] == lines[4][3])
    // And another seed gives other numbers.
    #expect(lines[5] != other.story.all[5].dropFirst(13).split(separator: " ").map(String.init))
    #expect(lines[5][0] != lines[5][1])
  }

  @Test("an exit ends the process of its machine alone, and the story says so")
  func exits() async {
    let calls: [@Sendable () -> Void] = [{ exit(0) }, { _exit(3) }, { _Exit(4) }]
    for (call, status) in zip(calls, [0, 3, 4]) {
      let outcome = await MachineTests.run { world in
        let machine = world.machine("m") { _ in }
        try await world.clock.sleep(for: .seconds(1))
        try? await machine.call { _ in call() }
        world.expect(!machine.isUp, "it is up")
        await world.eventually("it is up again") { machine.isUp }
      }
      #expect(outcome.failure == nil)
      #expect(
        outcome.story.all.contains { $0.hasSuffix("m: stops: it exits with status \(status)") })
    }
  }

  @Test("an exit in the test's own code fails it")
  func exitOfTest() async {
    let outcome = await MachineTests.run { _ in exit(0) }
    #expect(outcome.failure?.hasPrefix("exit(0) was called outside of all machines") == true)
  }

  @Test("an exit by a thread outside while a simulation runs isn't a success")
  func exitOutside() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await MachineTests.run { _ in
        Thread.detachNewThread { exit(0) }
        while true { sched_yield() }
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Glue: exit was called by a thread outside while a simulation ran"))
  }

  @Test("a stack overflow fails the simulation alone", arguments: 0..<2)
  func overflow(kind: Int) async throws {
    let outcome = await MachineTests.run { world in
      let machine = world.machine("m") { _ in }
      try await world.clock.sleep(for: .seconds(1))
      _ = try? await machine.call { _ in
        kind == 0 ? deep(1) : deepList(1, world).count
      }
    }
    let failure = try #require(outcome.failure)
    #expect(failure.hasPrefix("m stops: a stack overflow, likely by an endless recursion"))
    // The memory's locks are free for the next run.
    let next = await MachineTests.run { world in
      let lists = (0..<10_000).map { Array(repeating: $0, count: $0 % 100) }
      world.expect(lists.count == 10_000, "they are there")
    }
    #expect(next.failure == nil)
  }

  @Test("a stack has 8 MiB, as a main thread's")
  func deepStack() async {
    let outcome = await MachineTests.run { world in
      let machine = world.machine("m") { _ in }
      try await world.clock.sleep(for: .seconds(1))
      _ = try await machine.call { _ in useStack(of: 7 << 20) }
    }
    #expect(outcome.failure == nil)
  }

  @Test("an access to memory that isn't there fails the simulation alone")
  func badAccess() async throws {
    let outcome = await MachineTests.run { world in
      let machine = world.machine("m") { _ in }
      try await world.clock.sleep(for: .seconds(1))
      _ = try? await machine.call { _ in
        UnsafeMutablePointer<Int>(bitPattern: 4096)?.pointee = 1
      }
    }
    let failure = try #require(outcome.failure)
    #expect(failure.hasPrefix("m stops: an access to memory that isn't there (signal 11)"))
  }

  @Test("a program may trap when a file fails, until it starts again, and not by a misuse")
  func trapOfDisk() async throws {
    for kind in 0..<3 {
      let outcome = await MachineTests.run { world in
        world.faults.failedFileCalls = 1
        let machine = world.machine("m") { node in
          do {
            _ = try Journal(at: "/m", on: node.disk, Program.format)
          } catch {
            if kind == 1 { UnsafeMutablePointer<Int>(bitPattern: 4096)?.pointee = 1 }
            fatalError("no journal: \(error)")
          }
        }
        try await world.clock.sleep(for: .seconds(1))
        await world.eventually("it is up") { machine.isUp }
        if kind == 2 { try await machine.call { _ in trap("no reason") } }
      }
      let failures = [nil, "m stops: an access to memory", "m stops: no reason"]
      let failure = outcome.failure?.prefix(failures[kind]?.count ?? 0)
      #expect(failure.map(String.init) == failures[kind])
      #expect(outcome.story.all.contains { $0.contains("m: stops: no journal: ") } == (kind != 1))
    }
  }

  @Test("a program may trap when a bit of its files has changed")
  func trapOfRottenFile() async {
    var stops = 0
    for seed in UInt64(0)..<20 {
      let outcome = await MachineTests.run(seed) { world in
        let machine = world.machine("m") { node in
          do { return try Program(node, Settings(.synced, .bySize, .immediate)) } catch {
            fatalError("no journal: \(error)")
          }
        }
        try await world.clock.sleep(for: .seconds(1))
        try await machine.call { program in
          program.store.dispatch(CountIntent.add(1))
          try await program.journal.synced()
        }
        world.faults.rottenFiles = 1
        machine.crash()
        try await world.clock.sleep(for: .seconds(20))
      }
      #expect(outcome.failure == nil)
      if outcome.story.all.contains(where: { $0.contains("m: stops: no journal: ") }) { stops += 1 }
    }
    #expect(stops > 0)
  }

  @Test(
    "a journal that can't write what it gets fails the simulation, and says where and how to cure it"
  )
  func encodingFailure() async throws {
    struct Begin: Intent, Codable {}
    struct Work: Effect, Codable {}
    let outcome = await MachineTests.run { world in
      let machine = world.machine("m") { node in
        let format = JournalFormat(
          of: Int.self, intents: [.named("begin", Begin.self)],
          effects: [.atLeastOnce("work", Work.self, id: String.self)])
        let journal = try Journal(at: "/m", on: node.disk, format)
        let store = try Store(
          state: 0,
          reducer: { (_: inout Int, _: Begin) in [Work().scheduled(.latest, id: 1)] },
          clock: node.clock, journal: journal)
        return (store, journal)
      }
      try await world.clock.sleep(for: .seconds(1))
      try? await machine.call("begin") { store, journal in
        store.dispatch(Begin())
        try await journal.synced()
      }
    }
    let failure = try #require(outcome.failure)
    #expect(failure.hasPrefix("m stops: Glue: the journal cannot be written: /m: "))
    #expect(failure.contains("JournalCore.swift"))
    #expect(failure.contains("Write .atLeastOnce("))
    // The call that met it is in the story before the failure.
    let call = outcome.story.all.firstIndex {
      $0.hasSuffix("m: call 1 (begin) ends without an answer")
    }
    let end = outcome.story.all.firstIndex { $0.contains("FAILED: ") }
    #expect(try #require(call) < #require(end))
  }

  @Test("a trap under a lock that all runs share is reported after one more run")
  func trapUnderLock() async {
    var limits = World.Limits()
    limits.patience = .seconds(3)
    let failures = await FailureCollector.failures {
      await simulate(seeds: 1, twice: 0, limits: limits, processes: 0) { world in
        let machine = world.machine("m") { _ in }
        for _ in 1...5 {
          try await world.clock.sleep(for: .seconds(1))
          _ = try? await machine.call { _ in neverFree.withLock { trap("no way") } }
        }
      }
    }
    #expect(
      failures.map(\.message).joined().hasPrefix("simulate failed with seed 0: m stops: no way"))
  }
}

private let neverFree = NSLock()

private func trap(_ message: String) { fatalError(message) }

/// Sleeps as code that isn't asynchronous does.
private func sleepInStep(_ time: TimeInterval) { Thread.sleep(forTimeInterval: time) }

@inline(never) private func deep(_ depth: Int) -> Int { depth > 0 ? deep(depth + 1) + 1 : 0 }

@inline(never) private func deepList(_ depth: Int, _ world: World) -> [Int] {
  let list = depth > 0 ? deepList(depth + 1, world) : []
  return [depth] + list
}

@inline(never) private func useStack(of size: Int, from top: UInt = 0) -> Int {
  var here = 0
  let place = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
  if top == 0 { return useStack(of: size, from: place) + here }
  return top - place < UInt(size) ? useStack(of: size, from: top) + here : here
}
