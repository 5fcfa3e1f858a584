internal import Foundation
internal import Glue
internal import GlueTesting

/// Runs a whole program in a simulated world, once for each seed, through crashes and lost messages.
///
///     @Test func anOrderSurvives() async {
///       await simulate(seeds: 100) { world in
///         let bank = TestBank()
///         let service = world.machine("orders") { node in
///           try OrderService(
///             disk: node.disk, clock: node.clock, bank: RemoteBank(bank: bank, node: node))
///         }
///         guard (try? await service.call { try await $0.place(1) }) != nil else { return }
///         await world.eventually("the order is paid") {
///           try await service.call { $0.store.state.status[1] == "paid" }
///         }
///       }
///     }
///
/// Everything in the world runs on one thread, in virtual time. The seed decides which of the tasks
/// that could run next does, and which faults happen where, so the same seed gives the same story.
///
/// It stops at the first seed with which the body fails: by ``World/expect(_:_:)``,
/// ``World/eventually(_:within:_:)``, an expectation, or an error. It then looks for a short
/// story that fails alike, in up to 200 more runs: with few faults, then with few calls of clients,
/// then with the oldest task running first. It prints that story, and the seed. To run that seed alone, use
/// `GLUE_SEED=7 swift test --filter anOrderSurvives`, the trait `.seed(7)`, or
/// `replaying: 7` here. If a seed of `GLUE_SEED` holds, its story is printed too. With
/// `GLUE_DISKS=/tmp/disks` it also writes the files that the machines have at the end of that story
/// into that directory.
///
/// Child processes run the seeds, as many at the same time as there are processors. Each runs the test
/// that calls this, up to this call, and then a batch of seeds. So what a dead program leaves behind,
/// such as memory, a lock that it held or a static variable, is gone after a batch, and seeds fail alone.
/// The variables that the body shares with the test belong to the child. One process runs a seed that
/// you name, which a debugger needs, and the seeds of a test of XCTest or on another system than Linux.
///
/// Objects of a simulation are never released, which takes about 50 KB for each run of a small
/// program.
///
/// - Parameters:
///   - seeds: how many seeds to try.
///   - seed: the only one to try.
///   - faults: what goes wrong, and how often.
///   - sample: how many of the seeds, the first ones, run a second time. If the story then differs,
///     that is a failure.
///   - limit: how much real time all seeds may take. Seeds that don't fit are left out, which it
///     prints.
///   - limits: how long one run may take.
///   - processes: how many child processes run at the same time; with 0, the process of the test runs
///     the seeds. By default, as many as there are processors.
///   - fileID: the file that failures are reported in, with `filePath`.
///   - filePath: the path of that file.
///   - line: the line in it.
///   - column: the column in that line.
///   - body: the test, which makes everything that it uses. It is called once for each run.
public func simulate(
  seeds: Int = 100, replaying seed: UInt64? = nil, faults: World.Faults = World.Faults(),
  twice sample: Int = 5, within limit: Duration? = nil, limits: World.Limits = World.Limits(),
  processes: Int? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column, body: @escaping @Sendable (World) async throws -> Void
) async {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  let seeds = seedsToTry(by: "simulate", seeds, replaying: seed, at: place)
  var simulation = Simulation(faults: faults, place: place, body: body, limits: limits)
  let environment = ProcessInfo.processInfo.environment
  simulation.disks = environment["GLUE_DISKS"]
  simulation.printsStory = environment["GLUE_SEED"] != nil
  simulation.isReplay = seed != nil || SeedTrait.current != nil || simulation.printsStory
  await simulation.run(seeds, sample: sample, within: limit, processes: processes)
}

/// How a run has ended.
struct Outcome: Sendable {
  /// Why it has failed, if so.
  var failure: String?
  let story: Story

  /// The numbers of the faults that have happened, and how many calls clients have made.
  let faults: [Int]
  let calls: Int
  var tally: Tally
  let steps: Int

  let simulator: Simulator
  let machines: [any AnyMachine]

  /// How often work came from other threads, by the name of the machine.
  let foreign: [String: Int]

  /// Whether shrinking would have to wait long for each run.
  var isStuck: Bool { failure?.contains("of real time: it waits") == true }
}

extension Outcome {
  fileprivate func text(ofHoldingSeed seed: UInt64) -> String {
    """
    simulate holds with seed \(seed). Its story has \(count(faults.count, "fault")) and \
    \(count(calls, "call")):
    \(indented(story.shortened(to: .max)))
    """
  }
}

/// A program to simulate.
struct Simulation: Sendable {
  let faults: World.Faults
  let place: Place
  let body: @Sendable (World) async throws -> Void
  var limits = World.Limits()

  /// The directory for the machines' files at the end of a story that fails.
  var disks: String?

  /// Whether a seed that holds prints its story.
  var printsStory = false

  /// Whether one seed is run again, which need not reach all that the seeds together do.
  var isReplay = false

  /// Runs it once.
  ///
  /// The body is a child of the calling task, so that expectations in it belong to the test.
  func run(_ seed: UInt64, _ plan: Plan = Plan()) async -> Outcome {
    let simulator = Simulator(seed: seed, isOldestFirst: plan.isOldestFirst, limits: limits)
    refusingSystemDisk
    _ = (hooksAreInstalled, systemIsReplaced)
    Traps.install()
    Output.begin()
    defer {
      Output.end()
      Traps.remove()
    }
    let world = World(seed: seed, faults, plan, simulator)
    let problem: String? = await withCheckedContinuation { continuation in
      Task(executorPreference: world.home) {
        do { try await body(world) } catch { world.fail("the body threw \(error)") }
        simulator.end(nil)
      }
      simulator.start { continuation.resume(returning: $0) }
    }
    world.bury()
    return world.outcome(problem)
  }

  /// Runs it with seeds, in child processes if that can be, and reports how that ends.
  func run(
    _ seeds: [UInt64], sample: Int, within limit: Duration?, processes: Int? = nil
  ) async {
    var part: Part?
    #if os(Linux)
      let call = SimulateCall.next(at: place)
      if let batch = Batch.own {
        if batch.call == call { await run(batch) }
        return
      }
      let processes = processes ?? ProcessInfo.processInfo.activeProcessorCount
      if let call, processes > 0, !isReplay, !seeds.isEmpty {
        part = await run(seeds, in: processes, sample: sample, within: limit, call: call)
      }
    #endif
    let result: Part
    if let part {
      result = part
    } else {
      result = await runHere(seeds, sample: sample, within: limit)
    }
    if !result.hasFailed { conclude(result, of: seeds.count, within: limit) }
  }

  /// Runs it with one seed after the other in this process, until it fails, which it reports.
  ///
  /// - Parameters:
  ///   - seeds: the seeds.
  ///   - sample: how many of them run twice.
  ///   - limit: how much real time they may take.
  ///   - note: gets each seed before it runs.
  /// - Returns: what the seeds that hold have done, and whether one has failed.
  func runHere(
    _ seeds: [UInt64], sample: Int, within limit: Duration?, note: (UInt64) -> Void = { _ in }
  ) async -> Part {
    if !hooksAreInstalled {
      warn("simulate can't run tasks without an executor: this Swift runtime has no hooks.")
    }
    let framework = Framework.current
    let (start, progress) = (ContinuousClock.now, Progress(of: seeds.count))
    var simulators: [Simulator] = []
    var part = Part()
    for (index, seed) in seeds.enumerated() {
      if let limit, ContinuousClock.now - start > limit { break }
      note(seed)
      progress.note(index)
      let first = Locked<Outcome?>(nil)
      let fails = await framework.fails(at: place) {
        let outcome = await run(seed)
        first.withLock { $0 = outcome }
      }
      guard var outcome = first.withLock({ $0 }) else { return part }
      if fails { outcome.failure = outcome.failure ?? "an expectation failed" }
      if outcome.failure != nil {
        await report(outcome, of: seed, in: framework)
        part.hasFailed = true
        return part
      }
      part.tally.add(outcome.tally)
      if printsStory { print(outcome.text(ofHoldingSeed: seed)) }
      simulators.append(outcome.simulator)
      if index < sample, let difference = await repeated(outcome, of: seed) {
        fail(difference)
        part.hasFailed = true
        return part
      }
    }
    // Also work that came after the end of its run.
    part.foreign = simulators.reduce(into: [:]) { $0.merge($1.foreign, uniquingKeysWith: +) }
    return part
  }

  /// Says what the seeds, which hold, have done, and fails if that is less than it seems.
  private func conclude(_ part: Part, of total: Int, within limit: Duration?) {
    if !part.foreign.isEmpty { warn("simulate: \(text(ofForeign: part.foreign)).") }
    let tally = part.tally
    if let limit, tally.seeds < total {
      print("simulate: \(tally.seeds) of \(total) seeds fitted in \(seconds(limit))")
    }
    if tally.seeds == 0 || isReplay { return }
    let gaps = tally.gaps
    if gaps.isEmpty { return print("simulate: \(tally.summary)") }
    fail(
      """
      simulate held with \(count(tally.seeds, "seed")), but it checks less than it seems to:
      \(indented(gaps))
      """)
  }

  func fail(_ message: String) {
    Failure(message: message, place: place).report(to: .current)
  }

  private func warn(_ message: String) {
    Failure(message: message, place: place, isWarning: true).report(to: .current)
  }

  private func report(_ outcome: Outcome, of seed: UInt64, in framework: Framework) async {
    var search = StorySearch(simulation: self, seed: seed, framework: framework)
    let shortest = await search.shortest(outcome)
    let foreign = outcome.foreign.isEmpty ? "" : "\n\(text(ofForeign: outcome.foreign))."
    let disks = disks.map { "\n\(writeDisks(of: shortest, to: $0))." } ?? ""
    fail(
      """
      simulate failed with seed \(seed): \(shortest.failure ?? "")
      GLUE_SEED=\(seed) runs it again.\(foreign)\(disks)
      \(search.summary(shortest, from: outcome))
      \(indented(shortest.story.shortened(to: printsStory ? .max : 40)))
      """)
  }

  /// Writes the machines' files, each below a directory of the machine's name.
  ///
  /// - Returns: where they are, or why they aren't there.
  private func writeDisks(of outcome: Outcome, to directory: String) -> String {
    do {
      for machine in outcome.machines {
        try? FileManager.default.removeItem(atPath: "\(directory)/\(machine.name)")
        for (path, bytes) in machine.files {
          let file = URL(fileURLWithPath: directory).appendingPathComponent(machine.name + path)
          try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
          try Data(bytes).write(to: file)
        }
      }
      return "Its machines' files are in \(directory)"
    } catch {
      return "Its machines' files can't be written to \(directory): \(error.localizedDescription)"
    }
  }

  /// Runs a seed again.
  ///
  /// - Returns: how the stories differ, if they do.
  private func repeated(_ first: Outcome, of seed: UInt64) async -> String? {
    let second = await run(seed)
    let (a, b) = (first.story.all, second.story.all)
    if a == b && first.steps == second.steps { return nil }
    let index = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let start = index ?? min(a.count, b.count)
    func lines(_ story: [String]) -> String {
      let part = story.dropFirst(max(0, start - 2)).prefix(4)
      return indented(part.isEmpty ? ["(nothing)"] : part)
    }
    let foreign = first.foreign.merging(second.foreign, uniquingKeysWith: +)
    let cause = foreign.isEmpty ? likelyCause : text(ofForeign: foreign)
    return """
      simulate gave two stories for seed \(seed), so a failure can't be repeated.
      \(cause).
      They differ from line \(start + 1) on. The first:
      \(lines(a))
      The second:
      \(lines(b))
      """
  }
}

private func indented(_ lines: some Sequence<String>) -> String {
  lines.map { "  \($0)" }.joined(separator: "\n")
}

private var likelyCause: String {
  let causes = """
    Nothing has come from another thread. So likely a variable outlives the runs, such as a static \
    cache, or the order of a Set or a Dictionary matters
    """
  let chance = "it takes its time or its chance from the system: Date(), Task.sleep, UUID()"
  return systemIsReplaced ? causes : "\(causes), or \(chance)"
}

private func text(ofForeign foreign: [String: Int]) -> String {
  let counts = foreign.sorted { $0.key < $1.key }.map { "\($0.key), \($0.value) times" }
  return """
    Work came from threads outside of the simulation, for: \(counts.joined(separator: "; ")). A \
    DispatchQueue, a Thread, or a library with threads of its own decides when; let the machine's \
    clock and tasks do that
    """
}

/// Shows on a terminal how far a long simulation is.
final class Progress: Sendable {
  private let count: Int
  private let last = Locked(ContinuousClock.now)
  private let isShown = isatty(2) == 1

  init(of count: Int) { self.count = count }

  func note(_ index: Int) {
    guard isShown else { return }
    let isDue = last.withLock { last in
      if ContinuousClock.now - last < .seconds(5) { return false }
      last = .now
      return true
    }
    if isDue { FileHandle.standardError.write(Data("simulate: seed \(index) of \(count)\n".utf8)) }
  }
}
