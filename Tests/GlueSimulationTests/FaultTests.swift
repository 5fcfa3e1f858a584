import Foundation
import Glue
import GlueJournal
import GlueTesting
import Testing

@testable import GlueSimulation

@Suite("Faults")
struct FaultTests {
  @Test("every second seed has shares of its own, and none that isn't asked for")
  func varied() {
    let given = World.Faults()
    var shares: Set<Double> = []
    for seed in UInt64(0)..<100 {
      let faults = given.of(seed)
      if seed.isMultiple(of: 2) { #expect(faults.lostRequests == given.lostRequests) }
      shares.insert(faults.lostRequests)
      #expect(faults.rottenFiles == 0)
      #expect(faults.powerFailures <= 1)
      #expect(faults.lostRequests == given.of(seed).lostRequests)
    }
    #expect(shares.sorted().map { ($0 * 1000).rounded() } == [0, 7, 20, 60])
    var fixed = given
    fixed.areVaried = false
    #expect((UInt64(0)..<100).allSatisfy { fixed.of($0).lostRequests == given.lostRequests })
  }

  @Test("a request that arrives twice is carried out twice, that of a client and that of a machine")
  func duplicates() async {
    let outcome = await MachineTests.run { world in
      world.faults.duplicatedRequests = 1
      let (inside, outside) = (Shared(0), Shared(0))
      let machine = world.machine("m") { $0 }
      try await world.clock.sleep(for: .seconds(1))
      let answer = try await machine.call("one") { node in
        inside.change { $0 += 1 }
        return try await node.call("two") {
          outside.change { $0 += 1 }
          return "done"
        }
      }
      try await world.clock.sleep(for: .seconds(1))
      #expect(answer == "done")
      #expect(inside.value == 2)
      #expect(outside.value == 4)
    }
    #expect(outcome.failure == nil)
    let twice = outcome.story.all.map { $0.dropFirst(13) }.filter { $0.hasSuffix("arrives twice") }
    #expect(
      twice == ["m: call 1 (one) arrives twice"]
        + Array(repeating: "m: two arrives twice", count: 2))
  }

  @Test("a machine that is cut off is so from its clients too, both ways or one way alone")
  func cutOff() async {
    var ways: Set<String> = []
    for seed in UInt64(0)..<80 {
      let outcome = await MachineTests.run(seed) { world in
        world.faults.downtime = .seconds(10)...(.seconds(10))
        let count = Shared(0)
        let machines = ["a", "b"].map { world.machine($0) { $0 } }
        try await world.clock.sleep(for: .seconds(1))
        world.faults.partitions = 1
        _ = try? await machines[0].call { _ in }
        world.faults.partitions = 0
        let isRestarted = world.pick(0...1) == 0
        if isRestarted {
          world.faults.downtime = .milliseconds(10)...(.milliseconds(10))
          machines[0].crash()
          try await world.clock.sleep(for: .milliseconds(20))
        }
        let answer: Void? = try? await machines[0].call { _ in count.change { $0 += 1 } }
        world.expect(answer == nil, "a is cut off, and answers")
        world.tell("count \(count.value)")
        world.heal()
        _ = try await machines[0].call { try await $0.call("out") {} }
        _ = try await machines[1].call { try await $0.call("out") {} }
      }
      #expect(outcome.failure == nil)
      let lines = outcome.story.all.map { String($0.dropFirst(13)) }
      let cut = lines.first { $0.hasSuffix("for 10 s") } ?? ""
      // A request that gets through is carried out, although its answer gets lost.
      #expect(lines.contains(cut.contains("can't send") ? "count 1" : "count 0"))
      ways.insert(cut)
    }
    let names = ["a:", "a and b:"]
    #expect(
      ways
        == Set(
          names.flatMap { name in
            ["cut off from the network", "can't send", "can't receive"].map {
              "\(name) \($0) for 10 s"
            }
          }))
  }

  @Test(
    "a wall clock that jumps is wrong for this machine alone, until the faults stop",
    arguments: [("7 s", 7_000), ("-0.050 s", -50), ("-60.500 s", -60_500)])
  func clockJumps(text: String, milliseconds: Int) async {
    let outcome = await MachineTests.run { world in
      let jump = Duration.milliseconds(milliseconds)
      world.faults.clockErrors = jump...jump
      let machine = world.machine("m") { $0 }
      try await world.clock.sleep(for: .seconds(1))
      world.faults.clockJumps = 1
      let error = try await machine.call { node in
        let right = Double(glueEpoch) + node.clock.now.offset / .seconds(1)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        #expect((0..<1_000_000_000).contains(time.tv_nsec))
        return Date().timeIntervalSince1970 - right
      }
      #expect(abs(error - jump / .seconds(1)) < 0.001)
      @Sendable func isRight() -> Bool {
        let right = Double(glueEpoch) + world.clock.now.offset / .seconds(1)
        return abs(Date().timeIntervalSince1970 - right) < 0.001
      }
      #expect(isRight())
      world.heal()
      _ = try await machine.call { _ in #expect(isRight()) }
    }
    #expect(outcome.failure == nil)
    #expect(outcome.story.all.contains { $0.hasSuffix("m: its wall clock is wrong by \(text)") })
  }

  @Test("a journal of which a bit changes refuses to open, or has lost what it says")
  func rottenFiles() async {
    var (refused, held) = (0, 0)
    for seed in UInt64(0)..<60 {
      let outcome = await MachineTests.run(seed) { world in
        let service = world.machine("m") { node -> Program? in
          do { return try Program(node, Settings(.synced, .every(3), .immediate)) } catch {
            world.tell("refused: \(error)")
            return nil
          }
        }
        try await world.clock.sleep(for: .seconds(1))
        for number in 1...7 {
          try await service.call { program in
            program?.store.dispatch(CountIntent.add(number))
            try await program?.journal.synced()
          }
        }
        try await world.clock.sleep(for: .seconds(1))
        world.faults.rottenFiles = 1
        service.crash()
        try await world.clock.sleep(for: .seconds(6))
        let count = try await service.call { $0?.store.state.numbers }
        world.expect(count == nil || count == Array(1...7), "it continues with \(count ?? [])")
      }
      #expect(outcome.failure == nil, "\(outcome.failure ?? "")")
      let isRefused = outcome.story.all.contains { $0.contains("refused: ") }
      if isRefused { refused += 1 } else { held += 1 }
      #expect(outcome.story.all.contains { $0.contains("m: a bit of /count/") })
    }
    #expect(refused > 10 && held > 0)
  }

  @Test("buggify returns true as often as the faults say, and journals then write small logs")
  func buggify() async {
    for share in [0.0, 1] {
      let outcome = await MachineTests.run { world in
        world.faults.buggified = share
        let machine = world.machine("m") { node in
          world.expect(node.buggify("a small cache") == (share == 1), "it is another answer")
          return try Program(node, Settings(.synced, .bySize, .immediate))
        }
        try await world.clock.sleep(for: .seconds(1))
        for number in 1...100 {
          try await machine.call { program in
            program.store.dispatch(CountIntent.add(number))
            try await program.journal.synced()
          }
        }
        let logs = machine.files.keys.filter { $0.hasSuffix(".log") }
        #expect((logs.count > 1) == (share == 1))
      }
      #expect(outcome.failure == nil)
      #expect(outcome.story.all.contains { $0.hasSuffix("m: a small cache") } == (share == 1))
    }
  }

  @Test("a client's limit of time ends its call, which the machine continues")
  func canceledCall() async {
    let outcome = await MachineTests.run { world in
      let isDone = Shared(false)
      let machine = world.machine("m") { $0 }
      try await world.clock.sleep(for: .seconds(1))
      let call = Task {
        try await machine.call("slow") { node in
          try await node.clock.sleep(for: .seconds(10))
          isDone.change { $0 = true }
        }
      }
      try await world.clock.sleep(for: .seconds(1))
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(world.clock.now.offset == .seconds(2))
      try await world.clock.sleep(for: .seconds(20))
      #expect(isDone.value)
    }
    #expect(outcome.failure == nil)
    let lines = outcome.story.all.filter { $0.contains("call 1 (slow)") }
    #expect(lines.count == 1 && lines[0].hasSuffix("m: call 1 (slow) is canceled"))
  }

  @Test("an error that describes itself by the time fails a call as any other does")
  func errorWithTime() async {
    struct Late: Error, CustomStringConvertible { var description: String { "late at \(Date())" } }
    let outcome = await MachineTests.run { world in
      let machine = world.machine("m") { _ in }
      try await world.clock.sleep(for: .seconds(1))
      await #expect(throws: Late.self) { try await machine.call { _ in throw Late() } }
    }
    #expect(outcome.failure == nil)
  }

  @Test("an upgrade starts a newer version, a rollback an older one, and the end the newest")
  func upgrades() async {
    let body: @Sendable (World) async throws -> Void = { world in
      let machine = world.machine("m") { _ in 1 }
      try await world.clock.sleep(for: .seconds(1))
      machine.upgrade { _ in 2 }
      for _ in 1...10 {
        try await world.clock.sleep(for: .seconds(6))
        world.tell("runs \(try await machine.call { $0 })")
        machine.crash()
      }
      try await world.clock.sleep(for: .seconds(6))
      // A version that was rolled back is replaced at once.
      world.faults.downtime = .seconds(600)...(.seconds(600))
      await world.eventually("the newest runs") { try await machine.call { $0 } == 2 }
    }
    let plain = await MachineTests.run(1, body: body)
    #expect(plain.failure == nil)
    #expect(plain.story.all.filter { $0.contains("runs 2") }.count == 10)
    #expect(plain.story.all.contains { $0.hasSuffix("m: start 2, version 2") })
    var seen: Set<String> = []
    for seed in UInt64(0)..<10 {
      let rolled = await MachineTests.run(seed) { world in
        world.faults.rollbacks = 0.5
        try await body(world)
      }
      #expect(rolled.failure == nil)
      seen.formUnion(rolled.story.all.filter { $0.contains("runs ") }.map { String($0.suffix(1)) })
    }
    #expect(seen == ["1", "2"])
  }

  @Test("a run has the limits that the call asks for")
  func limits() async {
    var limits = World.Limits()
    limits.steps = 500
    let failures = await FailureCollector.failures { [limits] in
      await simulate(seeds: 1, limits: limits) { _ in while true { await Task.yield() } }
    }
    #expect(failures.first?.message.contains("it is endless: 500 steps have run") == true)
  }
}

private let glueEpoch = 1_700_000_000
