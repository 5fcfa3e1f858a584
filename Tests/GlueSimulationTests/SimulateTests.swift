import Dispatch
import Foundation
import Glue
import GlueJournal
import GlueTesting
import Testing

@testable import GlueSimulation

@Suite("simulate: seeds, stories and their repetition")
struct SimulateTests {
  @Test("the same seed gives the same story, byte for byte, also in other processes")
  func sameStory() async throws {
    var outputs: [[UInt8]] = []
    for _ in 0..<2 {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        for seed in UInt64(0)..<5 {
          let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
          for body: @Sendable (World) async throws -> Void in [
            { try await desks($0) }, { try await bookings($0) },
          ] {
            let outcome = await Simulation(faults: World.Faults(), place: place, body: body).run(
              seed)
            print(outcome.story.all.joined(separator: "\n"), outcome.steps)
          }
        }
      }
      outputs.append(try #require(result).standardOutputContent)
    }
    #expect(outputs[0].count > 10_000)
    #expect(outputs[0] == outputs[1])
  }

  @Test("two stories of one seed are a failure that names the likely cause")
  func twoStories() async {
    let runs = Shared(0)
    let message = await PlantedTests.message(seeds: 1, twice: 1) { world in
      world.tell("\(runs.value)")
      runs.change { $0 += 1 }
    }
    #expect(message.hasPrefix("simulate gave two stories for seed 0"))
    #expect(message.contains("likely a variable outlives the runs, such as a static cache, or the"))
  }

  @Test("work of a thread outside is counted, and named as the likely cause")
  func foreignThreads() async {
    let outcome = await MachineTests.run { world in
      let isBack = DispatchSemaphore(value: 0)
      _ = world.machine("m") { _ in
        await continueOutside()
        isBack.signal()
      }
      // The machine's first step comes when this one is suspended.
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          isBack.wait()
          continuation.resume()
        }
      }
    }
    #expect(outcome.failure == nil)
    #expect(outcome.foreign["m"] == 1)
    #expect(outcome.foreign["the test"] == 1)
    let message = await PlantedTests.message(seeds: 1) { _ in await continueOutside() }
    #expect(message.contains("Work came from threads outside of the simulation, for: the test"))
    #expect(message.contains("A DispatchQueue, a Thread, or a library with threads of its own"))
  }

  @Test("the machines' files at the end of a story that fails are written where they are wanted")
  func disks() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
    var simulation = Simulation(faults: .none, place: place) { world in
      let service = world.machine("shop") { node in
        try OrderService(disk: node.disk, clock: node.clock, bank: RemoteBank(TestBank(), node))
      }
      await world.eventually("an order is placed") {
        try await service.call { try await $0.place(1) }
        return true
      }
      service.crash()
      world.expect(false, "it fails")
    }
    simulation.disks = directory.path
    let failures = await FailureCollector.failures { [simulation] in
      await simulation.run([0], sample: 0, within: nil, processes: 0)
    }
    #expect(failures[0].message.contains("Its machines' files are in \(directory.path)."))
    let recording = try Recording(
      at: directory.path + "/shop/orders",
      JournalFormat(
        of: Orders.self, intents: [.named("order", OrderIntent.self)],
        effects: [.named("charge", Charge.self)]))
    #expect(try recording.state(at: 1, reducer: orders).status == [1: "open"])

    simulation.disks = "/dev/null"
    let others = await FailureCollector.failures { [simulation] in
      await simulation.run([0], sample: 0, within: nil, processes: 0)
    }
    #expect(others[0].message.contains("Its machines' files can't be written to /dev/null: "))
  }

  @Test(".seed(7) runs that seed alone", .seed(7))
  func seedTrait() async {
    let numbers = Shared<[UInt64]>([])
    await simulate(seeds: 20, twice: 0) { world in
      let number = world.pick(UInt64.min...UInt64.max)
      numbers.change { $0.append(number) }
    }
    #expect(numbers.value.count == 1)
  }

  @Test("replaying: runs one seed alone, as it ran among others")
  func replaying() async {
    let numbers = Shared<[UInt64]>([])
    let body: @Sendable (World) async throws -> Void = { world in
      let number = world.pick(UInt64.min...UInt64.max)
      numbers.change { $0.append(number) }
      await isUp(world)
    }
    await simulate(seeds: 5, twice: 0, processes: 0, body: body)
    await simulate(replaying: 3, twice: 0, body: body)
    #expect(numbers.value.count == 6)
    #expect(Set(numbers.value).count == 5)
    #expect(numbers.value[5] == numbers.value[3])
  }

  @Test("seeds that don't fit into the time are left out")
  func budget() async {
    let count = Shared(0)
    await simulate(seeds: 1000, within: .zero, processes: 0) { world in
      count.change { $0 += 1 }
      await isUp(world)
    }
    #expect(count.value < 1000)
  }

  @Test("without seeds it checks nothing, which is a failure")
  func noSeeds() async {
    let message = await PlantedTests.message(seeds: 0) { _ in }
    #expect(message == "simulate checks nothing: give it seeds.")
  }

  @Test("an expectation, an error and expect(_:_:) fail a seed")
  func waysToFail() async {
    struct Broken: Error {}
    let thrown = await PlantedTests.message { _ in throw Broken() }
    #expect(thrown.hasPrefix("simulate failed with seed 0: the body threw Broken()"))
    let expected = await PlantedTests.message { $0.expect($0.pick(0...2) == 0, "it isn't 0") }
    #expect(expected.contains("it isn't 0"))
    let issues = await recordedIssues {
      await simulate(seeds: 1, twice: 0) { world in
        _ = world.machine("m") { _ in #expect(Bool(false)) }
        try await world.clock.sleep(for: .seconds(1))
      }
    }
    #expect(issues.count == 2)
  }

  @Test("a story has what clients get, and what a start recovers")
  func lines() async {
    let outcome = await MachineTests.run { world in
      world.faults.latency = .milliseconds(10)...(.milliseconds(10))
      world.faults.downtime = .seconds(1)...(.seconds(1))
      let service = world.machine("shop") { node in
        try OrderService(disk: node.disk, clock: node.clock, bank: RemoteBank(TestBank(), node))
      }
      try await world.clock.sleep(for: .milliseconds(90))
      try await service.call { try await $0.place(1) }
      service.crash()
      try? await service.call { _ in }
      try await world.clock.sleep(for: .seconds(1))
      try? await service.call { _ in
        service.crash()
        throw CancellationError()
      }
      try await world.clock.sleep(for: .seconds(1))
      try? await service.call { _ in throw CancellationError() }
      world.faults.lostRequests = 1
      try? await service.call { _ in }
      (world.faults.lostRequests, world.faults.lostReplies) = (0, 1)
      try? await service.call { _ in }
    }
    let texts = outcome.story.all.map { String($0.dropFirst(13)) }
    #expect(
      texts.filter { !$0.contains("charge") && !$0.contains("commit 2") } == [
        "shop: start 1", #"shop: commit 1 ["order",{"place":{"_0":1}}]"#, "shop: answers call 1",
        "shop: killed by the test", "shop: call 2 finds it down", "shop: start 2",
        "shop: recovers commit 1", "shop: killed by the test",
        "shop: call 3 ends without an answer",
        "shop: start 3", "shop: recovers commit 1", "shop: call 4 throws CancellationError()",
        "shop: the request of call 5 gets lost", "shop: answers call 6",
        "shop: the reply of call 6 gets lost",
      ])
  }

  @Test("a seed that GLUE_SEED names prints its story, also if it holds")
  func storyOfHoldingSeed() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      setenv("GLUE_SEED", "3", 1)
      await simulate { $0.tell("hello") }
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    #expect(
      output.contains(
        """
        simulate holds with seed 3. Its story has 0 faults and 0 calls:
             0.000000  hello
        """))
  }

  @Test("the story is shrunk to the faults and calls that it needs")
  func shrinking() async {
    let message = await PlantedTests.message { world in
      world.faults.lostReplies = 0.5
      let counter = Shared(0)
      let machine = world.machine("m") { _ in counter }
      try await world.clock.sleep(for: .milliseconds(1))
      var answers = 0
      for _ in 1...10 where (try? await machine.call { $0.change { $0 += 1 } }) != nil {
        answers += 1
      }
      world.expect(counter.value == answers, "some were counted, and not answered")
    }
    #expect(message.contains("1 fault of"))
    #expect(message.contains(" of 10"))
  }

  @Test("a client that tries again until it gets an answer does so while a story is shrunk, too")
  func shrinkingRetries() async {
    let message = await PlantedTests.message { world in
      let counter = Shared(0)
      let machine = world.machine("m") { _ in counter }
      for _ in 1...10 {
        while (try? await machine.call { $0.change { $0 += 1 } }) == nil {
          try await world.clock.sleep(for: .seconds(1))
        }
      }
      world.expect(counter.value <= 10, "some were counted twice")
    }
    #expect(message.contains("some were counted twice"))
    #expect(message.contains("1 fault of"))
    #expect(message.contains("and 11 calls of"))
  }

  @Test("a trap in the test's own code, or in something outside, ends the test as usual")
  func trapOutside() async {
    await #expect(processExitsWith: .failure) {
      await simulate(seeds: 1) { _ in
        let none: [Int] = []
        _ = none[1]
      }
    }
    await #expect(processExitsWith: .failure) {
      await simulate(seeds: 1, faults: .none) { world in
        _ = world.machine("m") { node in
          try await node.call("work") {
            let none: [Int] = []
            _ = none[1]
          }
        }
        try await world.clock.sleep(for: .seconds(1))
      }
    }
  }
}

/// Suspends the calling task, and has a thread outside of the simulation continue it.
///
/// A child's step comes when that of the caller has ended, so the thread never comes too early.
private func continueOutside() async {
  let isSuspended = DispatchSemaphore(value: 0)
  async let child: Void = { isSuspended.signal() }()
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      isSuspended.wait()
      continuation.resume()
    }
  }
  await child
}
