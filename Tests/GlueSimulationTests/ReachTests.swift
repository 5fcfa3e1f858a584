import Foundation
import Glue
import GlueTesting
import Testing

@testable import GlueSimulation

@Suite("What a simulation that holds has reached")
struct ReachTests {
  struct Broken: Error {}

  @Test("an empty body checks nothing")
  func empty() async {
    let message = await PlantedTests.message { _ in }
    #expect(
      message == """
        simulate held with 20 seeds, but it checks less than it seems to:
          it has no machine; add one by `world.machine`, for the program to run on
        """)
  }

  @Test("a machine whose start always fails is named, with the reason")
  func neverUp() async {
    let message = await PlantedTests.message { world in
      _ = world.machine("a") { _ in }
      _ = world.machine("b") { _ in throw Broken() }
      try await world.clock.sleep(for: .seconds(1))
    }
    #expect(
      message.hasSuffix(
        """
        the program of b has never started, so nothing has used it. The last time it stops: the \
        start failed: Broken()
        """))
  }

  @Test("calls that all fail check nothing")
  func noAnswers() async {
    let message = await PlantedTests.message(faults: .none) { world in
      let machine = world.machine("m") { _ in }
      try await world.clock.sleep(for: .seconds(1))
      for _ in 1...10 { try? await machine.call { _ in throw Broken() } }
    }
    #expect(message.hasSuffix("all of 200 calls have failed; the last: Broken()"))
  }

  @Test("what must happen sometimes fails the seeds together if it never does")
  func sometimes() async {
    let message = await PlantedTests.message { world in
      await isUp(world)
      world.sometimes("it is even", world.pick(0...9) % 2 == 0)
      world.sometimes("it is ten", world.pick(0...9) == 10)
    }
    #expect(message.hasSuffix("to:\n  \"it is ten\" has never happened"))
  }

  @Test("one seed alone needs to reach nothing")
  func replay() async {
    await simulate(replaying: 3) { $0.sometimes("it happens", false) }
  }

  @Test("a simulation that holds says what it did")
  func summary() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      await simulate(seeds: 20) { world in
        let machine = world.machine("m") { _ in }
        for _ in 1...100 { try? await machine.call { _ in } }
        machine.crash()
      }
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("simulate: ") })
    #expect(
      line.firstMatch(
        of: /simulate: 20 seeds, \d+ faults, \d+ % of 2,000 calls answered, \d+ crashes/) != nil,
      "\(line)")
  }
}

/// Waits until a machine is up, as the least that a simulation does.
func isUp(_ world: World) async {
  let machine = world.machine("m") { _ in }
  await world.eventually("it is up") { machine.isUp }
}
