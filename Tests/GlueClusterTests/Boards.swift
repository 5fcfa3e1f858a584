import Glue
import GlueJournal
import ProcessSupport

@testable import GlueCluster

/// The state of a program.
struct OldBoard: Codable, Equatable, Sendable {
  var lines: [String] = []
}

/// The state of the next program, with parts that the one before doesn't know.
struct NewBoard: Codable, Equatable, Sendable {
  var lines: [String] = []
  var step: Int?
  var title = ""

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    lines = try container.decode([String].self, forKey: .lines)
    step = try container.decodeIfPresent(Int.self, forKey: .step)
    title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
  }
}

/// The mistake: synthesized `Codable` ignores the default value.
struct HastyBoard: Codable, Equatable, Sendable {
  var lines: [String] = []
  var step = 0
}

protocol Board: Codable, Equatable, Sendable {
  init()
  var lines: [String] { get set }
}

extension OldBoard: Board {}
extension NewBoard: Board {}
extension HastyBoard: Board {}

func board<State: Board>(
  _ type: State.Type, _ label: String, on log: some Log,
  versions: [SharedVersion<State>]? = nil, snapshotEvery: Int = 10_000,
  report: @escaping @Sendable (SharedStoreEvent) -> Void = { _ in }
) -> SharedStore<State, Void> {
  SharedStore(
    state: State(), versions: versions ?? [.version(1, reducer: adding)], format: boardFormat(),
    replica: label, log: log, snapshotEvery: snapshotEvery, clock: JumpingClock(), report: report)
}

func boardFormat<State: Board>() -> JournalFormat<State> {
  JournalFormat(of: State.self, intents: [.named("line", LineIntent.self)])
}

@Sendable func adding<State: Board>(state: inout State, intent: LineIntent) -> [any Effect] {
  if case .add(let text) = intent { state.lines.append(text) }
  return []
}

/// The version that the next program adds.
let next = SharedVersion<NewBoard>.version(2, reducer: adding) { $0.step = 1 }
let both = [SharedVersion<NewBoard>.version(1, reducer: adding), next]
