import Glue
import GlueJournal
import ProcessSupport
import Synchronization
import Testing

@testable import GlueCluster

@Suite(.tags(.threads), .jumpingTime) struct SharedStoreTests {
  let log = MemoryLog()

  @Test func sendReturnsWhenThisReplicaHasReducedTheIntent() async throws {
    let shared = replica(of: log.connection())
    let start = try await shared.catchUp()
    for number in 1...3 {
      let position = try await shared.send(LineIntent.add("\(number)"))
      #expect(position == start + number)
      #expect(shared.store.state.state.lines.last == "\(number)")
    }
    await shared.close()
  }

  @Test func anIntentWithoutANameStaysLocal() async throws {
    struct Scroll: Intent {}
    let (first, second) = (replica(of: log.connection()), replica(of: log.connection(), "b"))
    first.store.dispatch(Scroll())
    #expect(first.store.state.local == ["Scroll()"])
    try await second.catchUp()
    try await first.catchUp()
    #expect(second.store.state.local == [] && first.store.state.state == Lines())
    await first.close()
    await second.close()
  }

  @Test func aSharedIntentThatIsDispatchedGoesThroughTheLog() async throws {
    let (first, second) = (replica(of: log.connection()), replica(of: log.connection(), "b"))
    let view = first.store.view(of: \.state.lines, intent: LineIntent.self)
    for number in 1...50 { view.dispatch(.add("\(number)")) }
    try await first.catchUp()
    try await second.catchUp()
    #expect(second.store.state.state.lines == (1...50).map { "\($0)" })
    await first.close()
    await second.close()
  }

  @Test func theLocalReducerIsToldWhatCouldNotBeSent() async throws {
    let connection = log.connection()
    connection.setCut(true)
    let shared = replica(of: connection)
    shared.store.dispatch(LineIntent.add("a"))
    for await local in shared.store.values(of: \.local) where !local.isEmpty {
      #expect(local[0].hasPrefix("NotSent(intent: ") && local[0].contains("notSent"))
      break
    }
    await shared.close()
  }

  @Test func onlyTheSenderStartsAnIntentsEffects() async throws {
    let (first, second) = (replica(of: log.connection()), replica(of: log.connection(), "b"))
    let rung = Noted<String>()
    first.store.on(Ring.self) { ring, _ in rung.add("first: \(ring.text)") }
    second.store.on(Ring.self) { ring, _ in rung.add("second: \(ring.text)") }
    try await first.send(LineIntent.ring("a"))
    await first.reached(try await second.send(LineIntent.ring("b")))
    #expect(rung.all == ["first: a", "second: b"])
    await first.close()
    await second.close()
  }

  @Test func whatEffectsDispatchIsSharedAsWell() async throws {
    let (first, second) = (replica(of: log.connection()), replica(of: log.connection(), "b"))
    first.store.on(Ring.self) { ring, dispatch in dispatch(LineIntent.add("\(ring.text) rang")) }
    try await first.send(LineIntent.ring("a"))
    try await first.catchUp()
    try await second.catchUp()
    #expect(second.store.state.state.lines == ["a", "a rang"])
    await first.close()
    await second.close()
  }

  @Test func aBlockOfHandlersEndsBeforeTheFirstEntryIsRead() async throws {
    let (connection, rung) = (log.connection(), Noted<String>())
    let first = replica(of: connection)
    try await first.send(LineIntent.add("old"))
    await first.close()
    let shared = SharedStore(
      state: Lines(), versions: [.version(1, reducer: lines)], format: lineFormat, replica: "b",
      log: connection, clock: JumpingClock(), report: { _ in },
      first: [LineIntent.ring("new")],
      handlers: { handlers in
        handlers.on(Ring.self) { ring, _ in rung.add(ring.text) }
      })
    try await shared.catchUp()
    #expect(shared.store.state.state.lines == ["old", "new"])
    #expect(rung.all == ["new"])
    await shared.close()
  }

  @Test func aReplicaWhoseBlockThrowsReadsAndSendsNothing() async throws {
    struct Failed: Error {}
    #expect(throws: Failed.self) {
      try SharedStore(
        state: Lines(), versions: [first], format: lineFormat, replica: "a",
        log: log.connection(), report: { _ in },
        first: [LineIntent.add("a")], handlers: { _ in throw Failed() })
    }
  }

  @Test func sendFailsAfterItsDeadlineWhereTheLogCannotBeReached() async throws {
    let connection = log.connection()
    let shared = replica(of: connection, deadline: .seconds(3))
    try await shared.send(LineIntent.add("before"))
    connection.setCut(true)
    let cut = await shared.link { if case .cut = $0 { true } else { false } }
    #expect(cut == .cut("cut off"))
    await #expect(throws: SharedStoreError.notSent("refused")) {
      try await shared.send(LineIntent.add("meanwhile"))
    }
    #expect(shared.store.state.state.lines == ["before"])
    connection.setCut(false)
    try await shared.send(LineIntent.add("after"))
    #expect(shared.store.state.state.lines == ["before", "after"])
    #expect(shared.store.state.link == .live)
    await shared.close()
  }

  @Test func anIntentWhoseReplyIsLostForTooLongHasAnUnknownOutcome() async throws {
    let connection = log.connection()
    let shared = replica(of: connection)
    let start = try await shared.catchUp()
    var faults = MemoryLog.Faults()
    faults.lostReplies = 1
    faults.disconnects = 1
    connection.setFaults(faults)
    let unknown = try await ticket(of: shared.sending("a"))
    connection.setFaults(.init())
    #expect(try await shared.outcome(of: unknown) == start + 1)
    #expect(log.last > start + 2, "it was appended again and again")
    #expect(shared.store.state.state.lines == ["a"])
    await shared.close()
  }

  @Test func whatIsTooLargeIsNotSent() async throws {
    let shared = replica(of: log.connection())
    let text = String(repeating: "a", count: SharedLimits.entry)
    await #expect(throws: SharedStoreError.unsendable("It is larger than 524288 bytes.")) {
      try await shared.send(LineIntent.add(text))
    }
    await shared.close()
    await #expect(throws: SharedStoreError.closed) { try await shared.send(LineIntent.add("a")) }
  }

  @Test func aSharedStoreThatIsReleasedEndsItsTasks() async throws {
    weak var store: Store<Replicated<Lines, [String]>>?
    do {
      let shared = replica(of: log.connection())
      try await shared.send(LineIntent.add("a"))
      store = shared.store
      #expect(store != nil)
    }
    while store != nil { await Task.yield() }
  }
}

/// A replica refuses entries that it can't read, and says why.
@Suite(.jumpingTime) struct RefusalTests {
  let log = MemoryLog()

  private func refusal(by shared: SharedStore<Lines, [String]>) async throws -> SharedStoreError {
    let link = await shared.link { if case .stopped = $0 { true } else { false } }
    guard case .stopped(let error) = link else { throw SharedStoreError.closed }
    await #expect(throws: error) { try await shared.send(LineIntent.add("a")) }
    await shared.close()
    return error
  }

  /// A later version of this module may have made them.
  @Test(arguments: [
    #"{"number":1,"sender":"x"}"#, #"{"act":{"unheard of":{}},"number":1,"sender":"x"}"#,
  ])
  func anEntryThatCannotBeReadIsNamedWithItsPosition(bytes: String) async throws {
    log.append(Array(bytes.utf8))
    let error = try await refusal(by: replica(of: log.connection()))
    guard case .unreadable(position: 1, _) = error else { throw error }
  }

  @Test func anUnknownNameIsNamed() async throws {
    log.append(try Entry.bytes(Entry.Header("b", 1), [Array(#"["page",{}]"#.utf8)]))
    let error = try await refusal(by: replica(of: log.connection()))
    #expect(
      error
        == .unreadable(
          position: 1,
          #"no intent is named "page" in this format; "#
            + "a newer program may have written it: start that one"))
  }

  @Test(arguments: [0, 10])
  func aRecreatedLogIsNotFollowed(entries: Int) async throws {
    let connection = log.connection()
    let shared = replica(of: connection)
    for _ in 0..<3 { try await shared.catchUp() }
    connection.setCut(true)
    log.recreate()
    for _ in 0..<entries { try log.append(Entry.bytes(Entry.Header("other", 1), [])) }
    connection.setCut(false)
    guard case .logRecreated = try await refusal(by: shared) else { throw SharedStoreError.closed }
  }
}
