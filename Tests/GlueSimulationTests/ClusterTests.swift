import Glue
import GlueCluster
import GlueJournal
import GlueSimulation
import Testing

@Suite("Replicas in a simulated world")
struct ClusterTests {
  @Test("three replicas with every fault agree, and pay once")
  func replicas() async {
    await simulateOften(dividedBy: 4) { try await bookings($0) }
  }

  @Test("replicas of two types of state are upgraded one by one, through every crash")
  func upgrade() async {
    await simulateOften(dividedBy: 2) { try await upgrades($0) }
  }
}

// MARK: - Two programs

private struct OldList: Codable, Sendable { var lines: [String] = [] }

private struct NewList: Codable, Sendable, Equatable {
  var lines: [String] = []

  /// Since version 2.
  var length: Int?
}

private enum ListIntent: Intent, Codable { case add(String) }

@Sendable private func oldList(state: inout OldList, intent: ListIntent) -> [any Effect] {
  if case .add(let line) = intent { state.lines.append(line) }
  return []
}

@Sendable private func newListOf1(state: inout NewList, intent: ListIntent) -> [any Effect] {
  if case .add(let line) = intent { state.lines.append(line) }
  return []
}

@Sendable private func newList(state: inout NewList, intent: ListIntent) -> [any Effect] {
  if case .add(let line) = intent { state.lines.append(line) }
  state.length = state.lines.count
  return []
}

private enum Either: Sendable {
  case old(SharedStore<OldList, Void>)
  case new(SharedStore<NewList, Void>)

  init(_ node: Node, isNew: Bool, on log: MemoryLog) {
    let report: @Sendable (SharedStoreEvent) -> Void = { [world = node.world] event in
      world.tell("\(node.name): \(event)")
      if case .differs = event { world.expect(false, "\(node.name): \(event)") }
    }
    let engine = node.connection(to: log, faults: .many)
    if isNew {
      self = .new(
        SharedStore(
          state: NewList(),
          versions: [
            .version(1, reducer: newListOf1),
            .version(2, reducer: newList) { $0.length = $0.lines.count },
          ],
          format: JournalFormat(of: NewList.self, intents: [.named("list", ListIntent.self)]),
          replica: node.name, log: engine, deadline: .seconds(2), snapshotEvery: 10,
          lease: .seconds(3),
          clock: node.clock, report: report))
    } else {
      self = .old(
        SharedStore(
          state: OldList(), versions: [.version(1, reducer: oldList)],
          format: JournalFormat(of: OldList.self, intents: [.named("list", ListIntent.self)]),
          replica: node.name, log: engine, deadline: .seconds(2), snapshotEvery: 10,
          lease: .seconds(3),
          clock: node.clock, report: report))
    }
  }

  func send(_ line: String) async throws {
    switch self {
    case .old(let shared): try await shared.send(ListIntent.add(line))
    case .new(let shared): try await shared.send(ListIntent.add(line))
    }
  }
}

@Sendable
private func upgrades(_ world: World) async throws {
  let (log, names) = (MemoryLog(clock: world.clock), ["a", "b", "c"])
  let deployed = Shared<Set<String>>([])
  world.faults.partitions = 0.005
  world.faults.crashesAtSteps = 0.002
  let replicas = names.map { name in
    world.machine(name) { Either($0, isNew: deployed.value.contains(name), on: log) }
  }
  var acknowledged: [String] = []
  for number in 1...15 {
    let replica = replicas[world.pick(0...2)]
    if (try? await replica.call { try await $0.send("\(number)") }) != nil {
      acknowledged.append("\(number)")
      world.tell("client: \(number) is acknowledged")
    }
    try await world.clock.sleep(for: world.pick(Duration.zero...Duration.milliseconds(800)))
    if number % 4 == 0, number / 4 <= 3 {
      let index = number / 4 - 1
      deployed.change { $0.insert(names[index]) }
      world.tell("\(names[index]): gets the new program")
      replicas[index].crash(power: world.pick(0...1) == 0)
    }
  }
  await world.eventually("every replica has announced its new program") {
    for replica in replicas {
      let known = try await replica.call { replica in
        guard case .new(let shared) = replica else { return [:] as [String: Int] }
        return shared.status.replicas
      }
      if known != ["a": 2, "b": 2, "c": 2] { return false }
    }
    return true
  }
  await world.eventually("version 2 is in force", within: .seconds(120)) {
    try await replicas[0].call { replica in
      guard case .new(let shared) = replica else { return false }
      try await shared.upgrade(to: 2)
      return true
    }
  }
  await world.eventually("all replicas agree, and have every acknowledged line once") {
    [acknowledged] in
    var states: [NewList] = []
    for replica in replicas {
      states.append(
        try await replica.call { replica in
          guard case .new(let shared) = replica else { return NewList() }
          try await shared.send(ListIntent.add("last"))
          try await shared.catchUp()
          return shared.store.state.state
        })
    }
    for index in replicas.indices {
      states[index] = try await replicas[index].call { replica in
        guard case .new(let shared) = replica else { return NewList() }
        try await shared.catchUp()
        return shared.store.state.state
      }
    }
    let lines = states[0].lines.filter { $0 != "last" }
    return states.allSatisfy { $0 == states[0] } && states[0].length == states[0].lines.count
      && Set(lines).count == lines.count && Set(acknowledged).isSubset(of: lines)
  }
}
