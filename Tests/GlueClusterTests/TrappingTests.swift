import Foundation
import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// A reducer that traps ends one replica, or names the entry.
@Suite(.jumpingTime) struct TrappingTests {
  @Sendable private static func trapping(
    state: inout Lines, intent: LineIntent
  ) -> [any Effect] {
    if case .add("trap") = intent { fatalError("the reducer traps") }
    return lines(state: &state, intent: intent)
  }

  private static func replica(
    of log: some Log, rehearses: Bool = true, marker: ReductionMarker? = nil,
    report: @escaping @Sendable (SharedStoreEvent) -> Void = { _ in }
  ) -> SharedStore<Lines, Void> {
    SharedStore(
      state: Lines(), versions: [.version(1, reducer: trapping)], format: lineFormat,
      replica: "a", log: log, rehearses: rehearses, marker: marker, clock: JumpingClock(),
      report: report)
  }

  private static func say(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  /// Sends what traps, and says when it is ready and what it appends.
  private static func sendWhatTraps(rehearses: Bool) async throws {
    let log = NotingLog(MemoryLog().connection()) { say("appends \($0.number)") }
    let shared = replica(of: log, rehearses: rehearses)
    try await shared.catchUp()
    try await shared.send(LineIntent.add("harmless"))
    say("ready")
    try await shared.send(LineIntent.add("trap"))
  }

  private func appendsAfterReady(_ result: ExitTest.Result?) -> Bool? {
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    guard errors.contains("the reducer traps") else { return nil }
    return errors.components(separatedBy: "ready").last?.contains("appends")
  }

  @Test func whatTrapsItsSenderIsNotAppended() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await JumpingTime.passes { try await Self.sendWhatTraps(rehearses: true) }
    }
    #expect(appendsAfterReady(result) == false)
  }

  @Test func withoutARehearsalItIs() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await JumpingTime.passes { try await Self.sendWhatTraps(rehearses: false) }
    }
    #expect(appendsAfterReady(result) == true)
  }

  /// A rehearsal changes nothing, also where an entry has several intents and an effect is owed.
  @Test func aRehearsalLeavesNoTrace() async throws {
    let shared = Self.replica(of: MemoryLog().connection())
    for number in 1...20 { shared.store.dispatch(LineIntent.add("\(number)")) }
    try await shared.send(LineIntent.order("book"))
    #expect(shared.store.state.state.lines == (1...20).map(String.init))
    #expect(shared.status.owed == 1)
    await shared.close()
  }

  private static func path(_ process: Int32) -> String {
    NSTemporaryDirectory() + "glue-marker-\(process)"
  }

  @Test func aStartAfterADeathInTheReducerNamesTheEntry() async throws {
    let path = Self.path(getpid())
    defer { try? FileManager.default.removeItem(atPath: path) }
    await #expect(processExitsWith: .failure) {
      let log = MemoryLog()
      for (number, text) in ["a", "b", "trap"].enumerated() {
        let line = try lineFormat.line(of: LineIntent.add(text))
        log.append(try Entry.bytes(Entry.Header("b", number + 1), [line]))
      }
      try await JumpingTime.passes {
        let shared = Self.replica(
          of: log.connection(), marker: try ReductionMarker(at: Self.path(getppid())))
        try await shared.catchUp()
      }
    }
    let events = Noted<SharedStoreEvent>()
    let shared = Self.replica(
      of: MemoryLog().connection(), marker: try ReductionMarker(at: path), report: events.add)
    try await shared.send(LineIntent.add("a"))
    await shared.close()
    #expect(events.all == [.diedReducing(position: 3)])
    #expect(try ReductionMarker(at: path).left == nil, "this start ended in order")
  }

  @Test func aMarkerThatCannotBeOpenedThrows() {
    #expect(throws: POSIXError(.ENOENT)) {
      try ReductionMarker(at: NSTemporaryDirectory() + "missing/file")
    }
  }
}
