import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// Encodes every number, but decodes only some, as a type does that validates its input.
private struct Age: Intent, Codable {
  let years: Int

  init(_ years: Int) { self.years = years }

  private enum Key: CodingKey { case years }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    years = try container.decode(Int.self, forKey: .years)
    if years < 0 {
      throw DecodingError.dataCorruptedError(forKey: .years, in: container, debugDescription: "")
    }
  }
}

/// Decodes what `Age` refuses.
private struct AnyAge: Decodable {
  let years: Int
}

/// An intent that is sent can be read; an entry that can't be read needs a program that can.
@Suite(.jumpingTime) struct DecodingTests {
  private let log = MemoryLog()
  private let version = SharedVersion<Lines>.version(1) { state, intent in
    let inner = (intent as? ElementIntent<String>)?.intent ?? intent
    if let age = inner as? Age { state.lines.append("\(age.years)") }
    return []
  }
  private let format = JournalFormat(
    of: Lines.self,
    intents: [.named("age", Age.self), .elements("person", id: String.self)])

  private let refusal = SharedStoreError.unsendable(
    #"a value of type Age encodes but does not decode: intent "age": "#
      + "its coding throws DecodingError (at years)")

  private func replica(_ label: String) -> SharedStore<Lines, [String]> {
    GlueClusterTests.replica(of: log.connection(), label, versions: [version], format: format)
  }

  @Test func anIntentThatDoesNotDecodeIsNotSentAndStopsNoReplica() async throws {
    let replicas = ["a", "b"].map(replica)
    for replica in replicas { try await replica.catchUp() }
    let before = log.last
    await #expect(throws: refusal) { try await replicas[0].send(Age(-1)) }
    #expect(log.last == before)
    try await replicas[0].send(Age(1))
    for replica in replicas + [self.replica("c")] {
      try await replica.catchUp()
      #expect(replica.store.state.state.lines == ["1"] && replica.status.link == .live)
      await replica.close()
    }
  }

  @Test func norIsOneInsideAnElementOrThatIsDispatched() async throws {
    let shared = replica("a")
    await #expect {
      try await shared.send(ElementIntent(id: "ann", intent: Age(-1)))
    } throws: {
      guard case .unsendable(let reason)? = $0 as? SharedStoreError else { return false }
      return reason.contains("ElementIntent<String>") && reason.hasSuffix("(at years)")
    }
    shared.store.dispatch(Age(-1))
    #expect(shared.store.state.local[0].contains("unsendable"))
    await shared.close()
  }

  /// The cure for an entry that is there already.
  @Test func anEntryThatCannotBeReadIsReadByAProgramWithALenientFormerType() async throws {
    log.append(try Entry.bytes(Entry.Header("old", 1), [Array(#"["age",{"years":-1}]"#.utf8)]))
    let stuck = replica("a")
    let reason = #"intent "age": its coding throws DecodingError (at years)"#
    let error = SharedStoreError.unreadable(position: 1, reason)
    #expect(await stuck.link { $0 == .stopped(error) } != nil)
    await stuck.close()

    let lenient = JournalFormat(
      of: Lines.self,
      intents: [
        .formerly("age", AnyAge.self) { Age($0.years) }, .named("checked age", Age.self),
      ])
    let cured = ["a", "b"].map {
      GlueClusterTests.replica(of: log.connection(), $0, versions: [version], format: lenient)
    }
    // It hasn't announced that it reads the new name.
    try await cured[0].remove(replica: "old")
    try await cured[0].send(Age(2))
    for replica in cured {
      try await replica.catchUp()
      #expect(replica.store.state.state.lines == ["-1", "2"])
      await replica.close()
    }
  }
}
