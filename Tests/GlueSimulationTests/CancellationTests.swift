import Glue
import GlueJournal
import GlueSimulation
import GlueTesting
import Testing

@Suite("Errands that are canceled, through every crash")
struct CancellationTests {
  @Test("an errand never happens once its cancellation is synced, and any other does (J10)")
  func cancellations() async {
    await simulateOften(faults: OwnProgramTests.faults) { try await runErrands($0) }
  }

  @Test("a cancellation that is answered before it is on the disk is found")
  func answeredEarly() async {
    let failure = await PlantedTests.failure { try await runErrands($0, isSynced: false) }
    #expect(failure.contains("although its cancellation was answered"))
  }
}

private struct Errands: Codable, Sendable {
  var asked: Set<Int> = []
  var canceled: Set<Int> = []
  var done: Set<Int> = []
}

private enum ErrandIntent: Intent, Codable { case ask(Int), cancel(Int), done(Int) }
private struct Errand: Effect, Codable, Equatable { var number: Int }

/// Errands of every policy that may wait.
@Sendable private func errands(state: inout Errands, intent: ErrandIntent) -> [any Effect] {
  switch intent {
  case .ask(let number):
    if !state.asked.insert(number).inserted { return [] }
    let policies: [EffectPolicy] = [.delay(.milliseconds(800)), .latest, .sequential]
    return [Errand(number: number).scheduled(policies[number % 3], id: number)]
  case .cancel(let number):
    state.canceled.insert(number)
    return [CancelEffects(id: number)]
  case .done(let number):
    state.done.insert(number)
    return []
  }
}

private struct ErrandProgram: Sendable {
  let store: Store<Errands>
  let journal: Journal<Errands>

  init(_ node: Node, isSynced: Bool, run: @escaping @Sendable (Int) -> Void) throws {
    let format = JournalFormat(
      of: Errands.self, intents: [.named("errand", ErrandIntent.self)],
      effects: [.atLeastOnce("run", Errand.self)])
    journal = try Journal(
      at: "/errands", on: node.disk, format, durability: isSynced ? .synced : .written)
    store = try Store(
      state: Errands(), reducer: errands, clock: node.clock, journal: journal,
      handlers: { handlers in
        handlers.on(Errand.self) { errand, dispatch async in
          let number = errand.number
          while (try? await node.call("errand \(number)") { run(number) }) == nil {
            do { try await node.clock.sleep(for: .milliseconds(300)) } catch { return }
          }
          dispatch(ErrandIntent.done(number))
        }
      })
  }
}

@Sendable
private func runErrands(_ world: World, isSynced: Bool = true) async throws {
  world.faults.duplicatedRequests = 0
  let forbidden = Shared<Set<Int>>([])
  let machine = world.machine("runner") { node in
    try ErrandProgram(node, isSynced: isSynced) { number in
      world.expect(
        !forbidden.value.contains(number),
        "errand \(number) happens, although its cancellation was answered")
    }
  }
  for number in 1...12 {
    _ = try? await machine.call("ask \(number)") { program in
      program.store.dispatch(ErrandIntent.ask(number))
      try await program.journal.synced()
    }
    try await world.clock.sleep(for: world.pick(.zero...Duration.milliseconds(600)))
    let other = world.pick(1...number)
    if world.pick(0...1) == 0 { continue }
    let answer: Void? = try? await machine.call("cancel \(other)") { program in
      program.store.dispatch(ErrandIntent.cancel(other))
      if isSynced { try await program.journal.synced() }
    }
    if answer != nil { forbidden.change { $0.insert(other) } }
  }
  await world.eventually("all other errands are done") {
    try await machine.call { program in
      let state = program.store.state
      return state.asked.subtracting(state.canceled).isSubset(of: state.done)
    }
  }
}
