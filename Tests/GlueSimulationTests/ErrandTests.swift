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
  let (asked, happened) = (Shared<Set<Int>>([]), Shared<Set<Int>>([]))
  let machine = world.machine("runner") { node in
    let canceled = atNextStart.value
    let program = try ErrandProgram(node, first: [.cancel(canceled)], isSynced: isSynced) {
      number in
      happened.change { $0.insert(number) }
      world.expect(
        !forbidden.value.contains(number),
        "errand \(number) happens, although its cancellation was answered")
    }
    if isSynced { try await program.journal.synced() }
    await program.store.delivered()
    forbidden.change { $0.formUnion(canceled) }
    world.sometimes(
      "an errand is canceled in the beginning", !happened.value.isSuperset(of: canceled))
    return program
  }
  @Sendable func cancel(_ number: Int, in program: ErrandProgram) async throws {
    program.store.dispatch(ErrandIntent.cancel([number]))
    if isSynced { try await program.journal.synced() }
    await program.store.delivered()
  }
  for number in 1...8 {
    for _ in 1...20 {
      let isAnswered: Void? = try? await machine.call("ask \(number)") { program in
        program.store.dispatch(ErrandIntent.ask(number))
        try await program.journal.synced()
      }
      if isAnswered != nil {
        asked.change { $0.insert(number) }
        break
      }
      try await world.clock.sleep(for: world.pick(.zero...Duration.milliseconds(1500)))
    }
    try await world.clock.sleep(for: world.pick(.zero...Duration.milliseconds(600)))
    let (other, way) = (world.pick(1...number), world.pick(0...3))
    var isAnswered: Void?
    switch way {
    case 0: continue
    case 1: atNextStart.change { $0.append(other) }
    case 2:
      isAnswered = try? await machine.call("cancel \(other)") { try await cancel(other, in: $0) }
    default:
      let pause = world.pick(.zero...Duration.milliseconds(1500))
      isAnswered = try? await machine.call("cancel \(other) while it ends") { program in
        async let left = program.store.shutdown(finishing: .seconds(1), within: .seconds(3))
        try await world.clock.sleep(for: pause)
        try await cancel(other, in: program)
        _ = await left
      }
    }
    if isAnswered != nil { forbidden.change { $0.insert(other) } }
    if way != 2 || world.pick(0...1) == 0 { machine.crash(power: world.pick(0...1) == 0) }
  }
  await world.eventually("all other errands are done") {
    try await machine.call { program in
      let state = program.store.state
      let expected = state.asked.union(asked.value).subtracting(state.canceled)
      return expected.isSubset(of: state.done) && expected.isSubset(of: happened.value)
    }
  }
  world.sometimes("a pending errand is canceled", !happened.value.isSuperset(of: forbidden.value))
}
