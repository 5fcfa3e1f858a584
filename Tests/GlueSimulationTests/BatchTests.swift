import Foundation
import Glue
import GlueTesting
import Testing

@testable import GlueSimulation

@Suite("Seeds in child processes")
struct BatchTests {
  private static let held = NSLock()
  private static let runs = Shared(0)

  actor Shop {
    static let shared = Shop()
    var count = 0
    func add() { count += 1 }
    func crash(_ machine: Machine<Void>) { machine.crash() }
  }

  @Test("a lock and an actor that dead programs held leave the test's process as it was")
  func poison() async {
    let message = await PlantedTests.message(seeds: 30) { world in
      let machine = world.machine("m") { _ in }
      try await world.clock.sleep(for: .seconds(1))
      Self.runs.change { $0 += 1 }
      _ = try? await machine.call { _ in Self.held.withLock { machine.crash() } }
      await world.eventually("it is up") { machine.isUp }
      _ = try? await machine.call { _ in await Shop.shared.crash(machine) }
      world.expect(false, "it fails")
    }
    #expect(message.hasPrefix("simulate failed with seed 0: "))
    #expect(Self.runs.value == 0)
    Self.held.withLock {}
    await Shop.shared.add()
    #expect(await Shop.shared.count == 1)
  }

  @Test("the first seed that fails is reported, even if a later one fails sooner")
  func firstSeed() async {
    let message = await PlantedTests.message(seeds: 400) { world in
      await isUp(world)
      world.expect(world.pick(0...60) > 0, "it is 0")
    }
    let here = await PlantedTests.messageHere(seeds: 400) { world in
      await isUp(world)
      world.expect(world.pick(0...60) > 0, "it is 0")
    }
    #expect(message == here)
    #expect(message.contains("it is 0"))
  }

  @Test("the counts of all batches are added up")
  func counts() async {
    let message = await PlantedTests.message(seeds: 300) { world in
      await isUp(world)
      world.sometimes("it is rare", world.pick(0...100) == 0)
      world.sometimes("it is impossible", world.pick(0...100) > 100)
    }
    #expect(message.hasPrefix("simulate held with 300 seeds, but"))
    #expect(message.hasSuffix("to:\n  \"it is impossible\" has never happened"))
  }

  @Test("a process that dies fails its seed, and says how", arguments: [SIGKILL, SIGTERM])
  func death(signal: Int32) async {
    let message = await PlantedTests.message(seeds: 30) { world in
      await isUp(world)
      if world.pick(0...9) == 0 { kill(getpid(), signal) }
    }
    #expect(message.contains("the process that ran it has ended by signal \(signal)."))
    #expect(message.contains("GLUE_SEED="))
  }

  @Test("an expectation fails where it is, with a child's values")
  func expectation() async {
    let issues = await recordedIssues {
      await simulate(seeds: 3, twice: 0) { world in
        await isUp(world)
        let number = world.pick(5...5)
        #expect(number == 4)
      }
    }
    #expect(issues.count == 2)
    #expect("\(issues[0])".contains("(number → 5) == 4"))
    #expect(issues[0].sourceLocation?.fileID == #fileID)
    #expect(issues[1].sourceLocation?.line != issues[0].sourceLocation?.line)
  }
}

extension PlantedTests {
  /// The message of a simulation that must fail, in this process.
  static func messageHere(
    seeds: Int, of body: @escaping @Sendable (World) async throws -> Void
  ) async -> String {
    let failures = await FailureCollector.failures {
      await simulate(seeds: seeds, twice: 0, processes: 0, body: body)
    }
    return failures.map(\.message).joined(separator: "\n")
  }
}
