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
///   - fileID: the file that failures are reported in, with `filePath`.
///   - filePath: the path of that file.
///   - line: the line in it.
///   - column: the column in that line.
///   - body: the test, which makes everything that it uses. It is called once for each run.
public func simulate(
  seeds: Int = 100, replaying seed: UInt64? = nil, faults: World.Faults = World.Faults(),
  twice sample: Int = 5, within limit: Duration? = nil, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  body: @escaping @Sendable (World) async throws -> Void
) async {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  let seeds = seedsToTry(by: "simulate", seeds, replaying: seed, at: place)
  var simulation = Simulation(faults: faults, place: place, body: body)
  let environment = ProcessInfo.processInfo.environment
  simulation.disks = environment["GLUE_DISKS"]
  simulation.printsStory = environment["GLUE_SEED"] != nil
  await simulation.run(seeds, sample: sample, within: limit)
}

/// How a run has ended.
struct Outcome: Sendable {
  /// Why it has failed, if so.
  var failure: String?
  let story: Story

  /// The numbers of the faults that have happened, and how many calls clients have made.
  let faults: [Int]
  let calls: Int
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
    \(indented(story.shortened(to: 1000)))
    """
  }
}

/// A program to simulate.
struct Simulation: Sendable {
  let faults: World.Faults
  let place: Place
  let body: @Sendable (World) async throws -> Void
  var limits = Simulator.Limits()

  /// The directory for the machines' files at the end of a story that fails.
  var disks: String?

  /// Whether a seed that holds prints its story.
  var printsStory = false

  /// Runs it once.
  ///
  /// The body is a child of the calling task, so that expectations in it belong to the test.
  func run(_ seed: UInt64, _ plan: Plan = Plan()) async -> Outcome {
    let simulator = Simulator(seed: seed, isOldestFirst: plan.isOldestFirst, limits: limits)
    refusingSystemDisk
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

  /// Runs it with one seed after the other, until it fails.
  func run(_ seeds: [UInt64], sample: Int, within limit: Duration?) async {
    if !hooksAreInstalled {
      warn("simulate can't run tasks without an executor: this Swift runtime has no hooks.")
    }
    let framework = Framework.current
    let (start, progress) = (ContinuousClock.now, Progress(of: seeds.count))
    var simulators: [Simulator] = []
    for (index, seed) in seeds.enumerated() {
      if let limit, ContinuousClock.now - start > limit {
        print("simulate: \(index) of \(seeds.count) seeds fitted in \(seconds(limit))")
        break
      }
      progress.note(index)
      let first = Locked<Outcome?>(nil)
      let fails = await framework.fails(at: place) {
        let outcome = await run(seed)
        first.withLock { $0 = outcome }
      }
      guard var outcome = first.withLock({ $0 }) else { return }
      if fails { outcome.failure = outcome.failure ?? "an expectation failed" }
      if outcome.failure != nil { return await report(outcome, of: seed, in: framework) }
      if printsStory { print(outcome.text(ofHoldingSeed: seed)) }
      simulators.append(outcome.simulator)
      if index < sample, let difference = await repeated(outcome, of: seed) {
        return fail(difference)
      }
    }
    if let refusal = simulators.lazy.compactMap(\.refusal).first {
      return fail("simulate failed: \(refusal).")
    }
    // Also work that came after the end of its run.
    let foreign = simulators.reduce(into: [:]) { $0.merge($1.foreign, uniquingKeysWith: +) }
    if !foreign.isEmpty { warn("simulate: \(text(ofForeign: foreign)).") }
  }

  private func fail(_ message: String) {
    Failure(message: message, place: place).report(to: .current)
  }

  private func warn(_ message: String) {
    Failure(message: message, place: place, isWarning: true).report(to: .current)
  }

  private func report(_ outcome: Outcome, of seed: UInt64, in framework: Framework) async {
    var shrinking = Shrinking(simulation: self, seed: seed, framework: framework)
    let shortest = await shrinking.shortest(outcome)
    let foreign = outcome.foreign.isEmpty ? "" : "\n\(text(ofForeign: outcome.foreign))."
    let disks = disks.map { "\n\(writeDisks(of: shortest, to: $0))." } ?? ""
    fail(
      """
      simulate failed with seed \(seed): \(shortest.failure ?? "")
      GLUE_SEED=\(seed) runs it again.\(foreign)\(disks)
      \(shrinking.summary(shortest, from: outcome))
      \(indented(shortest.story.shortened(to: 40)))
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

private let likelyCause = """
  Nothing has come from another thread. So likely something takes its time or its chance from \
  elsewhere: Date(), Task.sleep or a clock other than the machine's, SystemRandomNumberGenerator \
  (random numbers, shuffled(), UUID()), or the order of a Set or a Dictionary
  """

private func text(ofForeign foreign: [String: Int]) -> String {
  let counts = foreign.sorted { $0.key < $1.key }.map { "\($0.key), \($0.value) times" }
  return """
    Work came from threads outside of the simulation, for: \(counts.joined(separator: "; ")). A \
    DispatchQueue, a Thread, or a library with threads of its own decides when; let the machine's \
    clock and tasks do that
    """
}

/// Shows on a terminal how far a long simulation is.
private final class Progress: Sendable {
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
