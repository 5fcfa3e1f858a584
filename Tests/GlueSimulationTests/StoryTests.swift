import Foundation
import Glue
import GlueTesting
import Testing

@testable import GlueSimulation

@Suite("Stories")
struct StoryTests {
  @Test(
    "a long story shows each fault with its neighbors, its end, and little after the faults stop")
  func faultsAreKept() {
    var story = Story()
    for line in 1...300 {
      let time = Duration.seconds(line)
      if line == 150 { story.heal(at: time) }
      story.add("\(line)", at: time, isFault: [20, 77].contains(line))
    }
    let texts = story.shortened(to: 40).map {
      $0.split(separator: "  ").last.map(String.init) ?? ""
    }
    #expect(Set(["19", "20", "21", "76", "77", "78", "300"]).isSubset(of: texts))
    #expect(texts.contains("the faults stop"))
    #expect(texts.contains("149") && texts.contains("140"))
    #expect(!texts.contains("250"))
    #expect(texts.count < 46)
    #expect(story.shortened(to: .max).count == 301)
  }

  @Test("each of twenty stories that fail shows every fault that it has left")
  func samples() async {
    for seed in UInt64(0)..<20 {
      let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
      let simulation = Simulation(faults: World.Faults(), place: place) {
        try await desks($0, .notIdempotent)
        $0.expect(false, "it fails")
      }
      let story = await simulation.run(seed).story
      let shown = story.shortened(to: 40)
      let faults = story.all.filter { line in
        ["killed", "power failure", "stops:", "gets lost", "another thread"].contains {
          line.contains($0)
        }
      }
      #expect(!faults.isEmpty)
      #expect(Set(faults).isSubset(of: shown))
    }
  }

  @Test("calls have names, and a call that is left out moves no other")
  func calls() async {
    let body: @Sendable (World) async throws -> Void = { world in
      world.faults.lostRequests = 0.3
      world.faults.lostReplies = 0.3
      let machine = world.machine("m") { _ in }
      for number in 1...20 {
        try await world.clock.sleep(until: .init(offset: .seconds(number)), tolerance: nil)
        try? await machine.call("charge \(number)") { _ in }
      }
    }
    let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
    let simulation = Simulation(faults: .none, place: place, body: body)
    let all = await simulation.run(5).story.all.filter { $0.contains("call ") }
    var plan = Plan()
    (plan.calls, plan.lastCall) = (Set(1...20).subtracting([3, 8]), 20)
    let some = await simulation.run(5, plan).story.all.filter { $0.contains("call ") }
    #expect(all.contains { $0.contains("call 3 (charge 3)") })
    #expect(some == all.filter { !$0.contains("call 3 ") && !$0.contains("call 8 ") })
  }
}
