import Dispatch
import Foundation
import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal

@Suite(
  "J14: an end writes everything, whether or not deliveries are made", .tags(.threads), .unwatched)
struct J14WithoutDeliveryTests {
  @Test("a shutdown writes what a loop that has ended would have, and the loop may still run later")
  func deadLoop() async throws {
    let (files, loop, told) = (MemoryFiles(), Bodies(), Lines())
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(
      state: Tally(), reducer: tally, delivery: loop.delivery, journal: journal)
    let subscription = store.subscribe(selector: \.count) { told.append("\($0)") }
    for value in 1...3000 { store.dispatch(TallyIntent.add(value)) }
    await store.shutdown()
    var random = Xorshift(seed: 1)
    #expect(try recovered(files.afterPowerFailure(&random)) == .after(3000))
    #expect(told.all.isEmpty)
    for value in 3001...3010 { store.dispatch(TallyIntent.add(value)) }
    loop.run()
    #expect(told.all == (0...3010).map { "\($0)" })
    let left = await store.shutdown(finishing: .zero, within: .seconds(1000))
    #expect(left.isEmpty)
    #expect(try recovered(files.afterPowerFailure(&random)) == .after(3010))
    subscription.cancel()
  }

  @Test("so does shutdown(finishing:within:), where a loop drops its bodies")
  func within() async throws {
    let files = MemoryFiles()
    let store = try Store(
      state: Tally(), reducer: tally, delivery: .custom { _ in },
      journal: Journal(in: files, tallyFormat))
    for value in 1...5 { store.dispatch(TallyIntent.add(value)) }
    await store.shutdown(finishing: .zero, within: .seconds(1000))
    var random = Xorshift(seed: 1)
    #expect(try recovered(files.afterPowerFailure(&random)) == .after(5))
  }

  @Test("synced() and close() don't wait for a loop that has ended")
  func syncedAndClosed() async throws {
    let (files, loop, told) = (MemoryFiles(), Bodies(), Lines())
    let journal = try Journal(in: files, tallyFormat, .written)
    let store = try Store(
      state: Tally(), reducer: tally, delivery: loop.delivery, journal: journal)
    let subscription = store.subscribe(selector: \.count) { told.append("\($0)") }
    for value in 1...5 { store.dispatch(TallyIntent.add(value)) }
    try await journal.synced()
    var random = Xorshift(seed: 1)
    #expect(try recovered(files.afterPowerFailure(&random)) == .after(5))
    store.dispatch(TallyIntent.add(6))
    try await journal.close()
    store.dispatch(TallyIntent.add(7))
    #expect(try recovered(files) == .after(6))
    loop.run()
    #expect(told.all == (0...6).map { "\($0)" }, "what was reduced before is delivered")
    subscription.cancel()
  }

  @Test("a store that is released after a shutdown has freed the directory", arguments: 1...100)
  func freed(round: Int) async throws {
    let files = MemoryFiles()
    for count in 1...2 {
      let journal = try Journal(in: files, tallyFormat)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      store.dispatch(TallyIntent.add(count))
      await store.shutdown()
    }
    #expect(try recovered(files) == .after(2))
  }

  @Test("the journal's own thread doesn't hold the store once everything is written")
  func idleThread() throws {
    let journal = try Journal(in: MemoryFiles(), tallyFormat)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    store.dispatch(TallyIntent.add(1))
    journal.core.use { _ in
      journal.core.writeAll()
      // That thread would wait for the writer, which is locked here, with the store held.
      journal.core.syncs.wait()
    }
    withExtendedLifetime(store) {}
  }

  private struct Mail: Effect, Codable, Equatable { var text: String }
  private enum DeskIntent: Intent, Codable { case send(String), began }

  private static let format = JournalFormat(
    of: [String].self, intents: [.named("desk", DeskIntent.self)],
    effects: [.named("mail", Mail.self)])

  @Sendable private static func desk(state: inout [String], intent: DeskIntent) -> [any Effect] {
    switch intent {
    case .send(let text): return [Mail(text: text)]
    case .began: state.append("began")
    }
    return []
  }

  @Test("a shutdown writes what is recorded before it waits for an effect")
  func beforeEffects() async throws {
    let (files, loop, lines) = (MemoryFiles(), Bodies(), Lines())
    let store = try Store(
      state: [], reducer: Self.desk, delivery: loop.delivery,
      journal: Journal(in: files, Self.format))
    let (written, write) = AsyncStream<Void>.makeStream()
    store.on(Mail.self) { _, _ async in
      await Task { for await _ in written {} }.value
      lines.append("ended")
    }
    store.dispatch(DeskIntent.send("slow"))
    loop.run()
    files.watch { call, _ in
      if call == "write" {
        lines.append("write")
        write.finish()
      }
      return nil
    }
    store.dispatch(DeskIntent.began)
    await store.shutdown()
    #expect(lines.all.first == "write" && lines.all.contains("ended"))
  }

  @Test("a store with handlers resumes unfinished effects, after those of its first intents")
  func resumed() throws {
    let (files, lines) = (MemoryFiles(), Lines())
    do {
      let store = try Store(
        state: [], reducer: Self.desk, journal: Journal(in: files, Self.format))
      store.dispatch(DeskIntent.send("old"))
    }
    let store = try Store(
      state: [], reducer: Self.desk, journal: Journal(in: files, Self.format),
      first: [DeskIntent.send("new"), DeskIntent.began],
      handlers: { handlers in handlers.on(Mail.self) { mail, _ in lines.append(mail.text) } })
    let kept = store.subscribe(selector: \.count) { lines.append("\($0)") }
    #expect(lines.all == ["new", "old", "1"])
    withExtendedLifetime((store, kept)) {}
  }

  @Test("its first intents are recorded")
  func recordedFirst() throws {
    let (files, loop) = (MemoryFiles(), Bodies())
    for (count, delivery) in [Delivery.immediate, loop.delivery].enumerated() {
      let store = try Store(
        state: Tally(), reducer: tally, delivery: delivery,
        journal: Journal(in: files, tallyFormat), first: [TallyIntent.add(count + 1)],
        handlers: { _ in })
      loop.run()
      #expect(store.state == .after(count + 1))
    }
    #expect(try recovered(files) == .after(2))
  }

  @Test("if the block throws, there is no store, and another one can have the journal")
  func failing() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    #expect(throws: CancellationError.self) {
      try Store(
        state: Tally(), reducer: tally, journal: journal, first: [TallyIntent.add(1)],
        handlers: { _ in throw CancellationError() })
    }
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    #expect(store.state == Tally())
  }
}
