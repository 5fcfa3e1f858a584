import Foundation
import Glue
import GlueCluster
import GlueJournal
import ProcessSupport
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Operating a cluster", .jumpingTime)
struct Operating {
  struct Counter: Codable, Sendable {
    var value = 0
  }

  enum CounterIntent: Intent, Codable {
    case increment
  }

  @Sendable static func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    state.value += 1
    return []
  }

  private let format = JournalFormat(
    of: Counter.self, intents: [.named("counter", CounterIntent.self)])

  private struct Ages: Codable, Sendable {
    var years: [Int] = []
  }

  /// Refuses some of what it encodes.
  private struct Age: Intent, Codable {
    let years: Int

    init(_ years: Int) { self.years = years }

    init(from decoder: any Decoder) throws {
      years = try AnyAge(from: decoder).years
      if years < 0 {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
      }
    }
  }

  private struct AnyAge: Codable {
    let years: Int
  }

  @Test func anEntryThatStopsAllIsReadByItsFormerName() async throws {
    @Sendable func ages(state: inout Ages, intent: Age) -> [any Effect] {
      state.years.append(intent.years)
      return []
    }
    struct Unchecked: Intent, Codable { let years: Int }

    // A program of the past wrote it, which didn't check.
    let log = MemoryLog()
    let past = SharedStore(
      state: Ages(), versions: [.version(1, reducer: { (_: inout Ages, _: Unchecked) in [] })],
      format: JournalFormat(of: Ages.self, intents: [.named("age", Unchecked.self)]),
      replica: "past", log: log.connection())
    try await past.send(Unchecked(years: -1))
    await past.close()

    let stuck = SharedStore(
      state: Ages(), versions: [.version(1, reducer: ages)],
      format: JournalFormat(of: Ages.self, intents: [.named("age", Age.self)]), replica: "a",
      log: log.connection())
    for await link in stuck.store.values(of: { $0.link }) {
      if case .stopped(.unreadable) = link { break }
    }
    await stuck.close()

    let format = JournalFormat(
      of: Ages.self,
      intents: [
        .formerly("age", AnyAge.self) { Age($0.years) }, .named("checked age", Age.self),
      ])
    let cured = SharedStore(
      state: Ages(), versions: [.version(1, reducer: ages)], format: format, replica: "a",
      log: log.connection())
    await #expect(throws: SharedStoreError.self) { try await cured.send(Age(-2)) }
    try await cured.send(Age(3))
    #expect(cured.store.state.state.years == [-1, 3])
    await cured.close()
  }

  /// A new case needs a row, or this doesn't compile.
  private func row(_ event: SharedStoreEvent) -> String {
    switch event {
    case .linkLost: "linkLost"
    case .linkBack: "linkBack"
    case .logWentBack: "logWentBack"
    case .behind: "behind"
    case .stopped(.version): "stopped(.version)"
    case .stopped(.unreadable): "stopped(.unreadable)"
    case .stopped(.logRecreated): "stopped(.logRecreated)"
    case .stopped(.diverged): "stopped(.diverged)"
    case .stopped(let error): "\(error), which ends no reading"
    case .snapshotFailed: "snapshotFailed"
    case .ownerChanged: "ownerChanged"
    case .appendsFail: "appendsFail"
    case .appendsWork: "appendsWork"
    case .strayEntry: "strayEntry"
    case .diedReducing: "diedReducing"
    case .cannotDo: "cannotDo"
    case .gaveUp: "gaveUp"
    case .resultNotSent: "resultNotSent"
    case .notHandedOver: "notHandedOver"
    case .differs: "differs"
    case .labelInUse: "labelInUse"
    case .upgraded: "upgraded"
    }
  }

  @Test func theTableHasARowForEachEvent() throws {
    let id = try JSONDecoder().decode(
      OwedID.self, from: Data(#"{"position":1,"index":0}"#.utf8))
    let errors: [SharedStoreError] = [
      .version(log: 2, known: 1...1, position: 1), .unreadable(position: 1, ""), .logRecreated(""),
      .diverged(position: 1),
    ]
    let events: [SharedStoreEvent] =
      errors.map { .stopped($0) } + [
        .linkLost(""), .linkBack, .logWentBack(from: 2, to: 1, acknowledged: []), .behind(by: 1),
        .snapshotFailed(position: 1, ""), .ownerChanged(nil),
        .appendsFail(""), .appendsWork, .strayEntry(position: 1), .diedReducing(position: 1),
        .cannotDo(id, effect: "", ""), .gaveUp(id, effect: "", ""),
        .resultNotSent(id, effect: "", .notSent("")),
        .notHandedOver([id: ""]), .differs(position: 1, path: ""),
        .labelInUse(""), .upgraded(to: 2),
      ]
    let rows = try text("Sources/GlueCluster/GlueCluster.docc/Operating.md")
      .components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    for event in events {
      #expect(rows.contains { $0.contains("`\(row(event))`") }, "\(event) has no row")
    }
  }

  @Test func aBackupIsRestoredInAnotherLog() async throws {
    let counter = Self.counter
    let shared = SharedStore(
      state: Counter(), versions: [.version(1, reducer: counter)], format: format, replica: "a",
      log: MemoryLog().connection())
    for _ in 0..<3 { try await shared.send(CounterIntent.increment) }
    #expect(shared.status.owed == 0)
    let backup = try JSONEncoder().encode(shared.store.state.state)
    await shared.close()

    let anotherLog = MemoryLog().connection()
    let restored = SharedStore(
      state: try JSONDecoder().decode(Counter.self, from: backup),
      versions: [.version(1, reducer: counter)], format: format, replica: "a", log: anotherLog)
    try await restored.send(CounterIntent.increment)
    #expect(restored.store.state.state.value == 4)
    await restored.close()
  }
}
