import Glue
import GlueJournal
import GlueSimulation
import GlueTesting
import Testing

@Suite("Errands that are canceled, through every crash")
struct ErrandTests {
  @Test("an errand never happens once its cancellation is synced, and any other does (J10)")
  func cancellations() async {
    await simulateOften(dividedBy: 4, faults: OwnProgramTests.faults) { try await runErrands($0) }
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

private enum ErrandIntent: Intent, Codable { case ask(Int), cancel([Int]), done(Int) }
private struct Errand: Effect, Codable, Equatable { var number: Int }

/// Errands of every policy that may wait.
@Sendable private func errands(state: inout Errands, intent: ErrandIntent) -> [any Effect] {
  switch intent {
  case .ask(let number):
    if !state.asked.insert(number).inserted { return [] }
    let policies: [EffectPolicy] = [.delay(.seconds(3)), .latest, .sequential]
    return [Errand(number: number).scheduled(policies[number % 3], id: number)]
  case .cancel(let numbers):
    state.canceled.formUnion(numbers)
    return numbers.map { CancelEffects(id: $0) }
  case .done(let number):
    state.done.insert(number)
    return []
  }
}

private struct ErrandProgram: Sendable {
  let store: Store<Errands>
  let journal: Journal<Errands>

  init(
    _ node: Node, first: [ErrandIntent], isSynced: Bool, run: @escaping @Sendable (Int) -> Void
  ) throws {
    let format = JournalFormat(
      of: Errands.self, intents: [.named("errand", ErrandIntent.self)],
      effects: [.atLeastOnce("run", Errand.self, id: Int.self)])
    journal = try Journal(
      at: "/errands", on: node.disk, format, durability: isSynced ? .synced : .written)
    store = try Store(
      state: Errands(), reducer: errands, clock: node.clock, journal: journal, first: first,
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

/// Asks for eight errands, and cancels some: by an intent, while the store ends, or as it begins.
@Sendable
private func runErrands(_ world: World, isSynced: Bool = true) async throws {
  world.faults.duplicatedRequests = 0
  let (atNextStart, forbidden) = (Shared<[Int]>([]), Shared<Set<Int>>([]))
  let machine = world.machine("runner") { node in
    let canceled = atNextStart.value
    let program = try ErrandProgram(node, first: [.cancel(canceled)], isSynced: isSynced) {
      number in
      world.expect(
        !forbidden.value.contains(number),
        "errand \(number) happens, although its cancellation was answered")
    }
    if isSynced { try await program.journal.synced() }
    forbidden.change { $0.formUnion(canceled) }
    return program
  }
  @Sendable func call(
    _ what: String, _ body: @escaping @Sendable (ErrandProgram) async throws -> Void
  ) async -> Bool {
    for _ in 1...20 {
      if (try? await machine.call(what, body)) != nil { return true }
      try? await world.clock.sleep(for: world.pick(.zero...Duration.milliseconds(1500)))
    }
    return false
  }
  for number in 1...8 {
    _ = await call("ask \(number)") { program in
      program.store.dispatch(ErrandIntent.ask(number))
      try await program.journal.synced()
    }
    try await world.clock.sleep(for: world.pick(.zero...Duration.milliseconds(600)))
    let (other, isEnding) = (world.pick(1...number), world.pick(0...3) == 0)
    switch world.pick(0...3) {
    case 0: continue
    case 1:
      atNextStart.change { $0.append(other) }
      machine.crash(power: world.pick(0...1) == 0)
    default:
      let isAnswered = await call("cancel \(other)") { program in
        async let end =
          isEnding ? program.store.shutdown(finishing: .seconds(1), within: .seconds(3)) : []
        program.store.dispatch(ErrandIntent.cancel([other]))
        if isSynced { try await program.journal.synced() }
        _ = await end
      }
      if isAnswered { forbidden.change { $0.insert(other) } }
      if isEnding || world.pick(0...2) == 0 { machine.crash(power: world.pick(0...1) == 0) }
    }
  }
  await world.eventually("all other errands are done") {
    try await machine.call { program in
      let state = program.store.state
      return state.asked.subtracting(state.canceled).isSubset(of: state.done)
    }
  }
}
