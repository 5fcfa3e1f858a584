import Foundation
import Glue
import GlueProcesses
import GlueSimulation
import Synchronization
import Testing

@testable import SchedulerExample

/// The commands of a simulated machine.
private final class Commands: Sendable {
  private struct State {
    var running: Set<String> = []
    var done: Set<String> = []
    var crashed = false
  }

  private let state = Mutex(State())
  var done: Set<String> { state.withLock { $0.done } }

  /// Whether a process was killed while a command ran.
  var crashed: Bool { state.withLock { $0.crashed } }

  func run(_ name: String, _ node: Node) async throws -> ChildProcess.Ending {
    let isAlone = state.withLock { $0.running.insert(name).inserted }
    node.world.expect(isAlone, "\(name) runs twice at once")
    defer { state.withLock { _ = $0.running.remove(name) } }
    try await node.clock.sleep(for: .seconds(20))
    state.withLock { _ = $0.done.insert(name) }
    return .exited(0)
  }

  /// Ends what a process that was killed has left, as a lock does for real ones.
  func endLeftovers() {
    state.withLock { state in
      if !state.running.isEmpty { state.crashed = true }
      state.running = []
    }
  }
}

@Suite("Crashes of the schedule") struct CrashTests {
  @Test("each acknowledged start runs to its end, and no job twice at once")
  func crashes() async {
    let jobs = (1...6).map { Definition(name: "job-\($0)", command: ["x"], group: "one") }
    await simulate(seeds: 100) { world in
      let commands = Commands()
      let machine = world.machine("scheduler") { node in
        commands.endLeftovers()
        let base = Date(timeIntervalSince1970: 0) + node.clock.now.offset / .seconds(1)
        return try Scheduler(
          in: "/var/lib/scheduler", on: node.disk,
          Surroundings(
            clock: node.clock, dates: Dates(node.clock, from: base),
            systemDate: { Date(timeIntervalSince1970: node.clock.now.offset / .seconds(1)) },
            load: { Definitions(jobs: jobs) },
            run: { _, job in try await commands.run(job.name, node) }))
      }
      var started: Set<String> = []
      for job in jobs {
        try await world.clock.sleep(for: .seconds(1))
        if (try? await machine.call { try await $0.start(job.name) }) != nil {
          started.insert(job.name)
        }
      }
      await world.eventually("all have ended", within: .seconds(600)) { [started] in
        commands.done.isSuperset(of: started)
      }
      world.sometimes("a crash while a command runs", commands.crashed)
    }
  }
}
