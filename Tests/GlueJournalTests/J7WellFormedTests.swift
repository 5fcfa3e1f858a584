import Foundation
import Glue
import GlueSimulation
import GlueTesting
import Testing

@testable import GlueJournal

/// A price that `Decimal / 0` can make.
private struct Order: Codable, Sendable, Equatable {
  var prices: [String: Decimal] = [:]
  var note = "secret"
  var isRefused = false

  enum CodingKeys: CodingKey { case prices, note, isRefused }

  init() {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    prices = try values.decode([String: Decimal].self, forKey: .prices)
    note = try values.decode(String.self, forKey: .note)
    isRefused = try values.decode(Bool.self, forKey: .isRefused)
    if isRefused {
      throw DecodingError.dataCorruptedError(
        forKey: .isRefused, in: values, debugDescription: "refused \(note)")
    }
  }

  func encode(to encoder: any Encoder) throws {
    if note == "throw" {
      throw EncodingError.invalidValue(
        self, EncodingError.Context(codingPath: [CodingKeys.note], debugDescription: "\(self)"))
    }
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(prices, forKey: .prices)
    try values.encode(note, forKey: .note)
    try values.encode(isRefused, forKey: .isRefused)
  }
}

private enum OrderIntent: Intent, Codable, Equatable {
  case price(String, Decimal, note: String)
  case note(String)
  case refuse(Bool)
}

private struct Ship: Effect, Codable { var order: Order }

private let format = JournalFormat(
  of: Order.self, intents: [.named("order", OrderIntent.self)],
  effects: [.atLeastOnce("ship", Ship.self)])

@Sendable private func ordering(state: inout Order, intent: OrderIntent) -> [any Effect] {
  switch intent {
  case .price(let name, let price, let note):
    state.prices[name] = price.isNaN ? 0 : price
    state.note = note
  case .note(let note): state.note = note
  case .refuse(let isRefused): state.isRefused = isRefused
  }
  return state.note == "ship" ? [Ship(order: state).scheduled(.latest, id: state.prices.count)] : []
}

@Suite("J7: written records can be read")
struct J7WellFormedTests {
  @Test("for a Decimal NaN in an intent the state is recorded, and the journal opens")
  func decimalInAnIntent() throws {
    let (files, reports) = (MemoryFiles(), Lines())
    let store = try Store(
      state: Order(), reducer: ordering, journal: Journal(in: files, format, reports: reports))
    for name in ["a", "b"] {
      store.dispatch(OrderIntent.price(name, .nan, note: "Not secret: \"N\\"))
    }
    let again = try Journal(in: files.afterKill(), format)
    #expect(try Store(state: Order(), reducer: ordering, journal: again).state == store.state)
    #expect(reports.all.count == 1)
    #expect(reports.all[0].contains("type OrderIntent") && !reports.all[0].contains("secret"))
    #expect(reports.all[0].contains("Decimal that is NaN") && reports.all[0].contains("(at price)"))
  }

  @Test("in a state it stops the program, naming type and path but no value")
  func decimalInAState() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let reducer: @Sendable (inout Order, OrderIntent) -> [any Effect] = { state, _ in
          state.prices["a"] = .nan
          return []
        }
        let journal = try Journal(in: MemoryFiles(), format, snapshots: .every(1)) {
          FileHandle.standardError.write(Data("failed: \($0)\n".utf8))
        }
        let store = try Store(state: Order(), reducer: reducer, journal: journal)
        store.dispatch(OrderIntent.note(""))
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("failed: /j: a value of type Order does not encode: "))
    #expect(text.contains("(at prices)") && text.contains("Change the program"))
    #expect(!text.contains("Repair the disk") && !text.contains("secret"))
  }

  @Test("so does a state whose encoding throws any error")
  func throwingState() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let journal = try Journal(in: MemoryFiles(), format, snapshots: .every(1))
        var state = Order()
        state.prices["secret"] = Decimal(4711) / 100
        let store = try Store(state: state, reducer: ordering, journal: journal)
        store.dispatch(OrderIntent.note("throw"))
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("a value of type Order does not encode: "))
    #expect(text.contains("EncodingError (at note)"))
    #expect(!text.contains("Repair the disk"))
    #expect(!text.contains("secret") && !text.contains("47.11"))
  }

  @Test("an id of another type than the format's stops the program, with the cure")
  func idOfAnotherType() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let journal = try Journal(in: MemoryFiles(), format)
        let store = try Store(state: Order(), reducer: ordering, journal: journal)
        store.dispatch(OrderIntent.note("ship"))
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("an id of type Int, but the format says String"))
    #expect(text.contains(".atLeastOnce(\"ship\", Ship.self, id: Int.self)"))
    #expect(!text.contains("Repair the disk"))
  }

  @Test("a state that doesn't decode is not written, and the commits give it")
  func undecodableState() async throws {
    let (files, reports) = (MemoryFiles(), Lines())
    do {
      let journal = try Journal(in: files, format, smallestLog: 300, reports: reports)
      let store = try Store(state: Order(), reducer: ordering, journal: journal)
      store.dispatch(OrderIntent.refuse(true))
      for _ in 1...20 { store.dispatch(OrderIntent.note("secret")) }
    }
    #expect(files.all.keys.filter { $0.hasSuffix(".state") } == ["/j/0000000000000001.state"])
    #expect(reports.all.count == 1 && reports.all[0].contains("can't be decoded"))
    #expect(reports.all[0].contains("(at isRefused)") && !reports.all[0].contains("secret"))
    let store = try Store(
      state: Order(), reducer: ordering, journal: Journal(in: files, format, reports: Lines()))
    #expect(store.state.isRefused)
    store.dispatch(OrderIntent.refuse(false))
    await store.shutdown()
    #expect(files.all.keys.count { $0.hasSuffix(".state") } == 2)
  }

  #if DEBUG
    private struct Strict: Intent, Codable {
      let value: Int
      init(_ value: Int) { self.value = value }
      init(from decoder: any Decoder) throws {
        let place = decoder.codingPath
        throw DecodingError.dataCorrupted(.init(codingPath: place, debugDescription: "secret"))
      }
    }

    @Test("debug builds report a type that doesn't decode once, also within elements")
    func decodingAgain() throws {
      let format = JournalFormat(
        of: Order.self,
        intents: [.named("strict", Strict.self), .elements("row", id: Int.self)])
      let reports = Lines()
      let store = try Store(
        state: Order(), reducer: { _, _ in [] },
        journal: Journal(in: MemoryFiles(), format, reports: reports))
      for value in 1...3 { store.dispatch(ElementIntent(id: value, intent: Strict(value))) }
      #expect(reports.all.count == 1 && !reports.all[0].contains("secret"))
      #expect(reports.all[0].contains("values of type Strict can't be decoded"))
    }
  #endif

  private struct Text: Codable { var texts: [String: String] }

  @Test("texts are never bare tokens, with any content", arguments: 0..<50)
  func texts(seed: Int) throws {
    var random = Xorshift(seed: UInt64(seed))
    let letters = Array("N\"\\aN/\n")
    func text() -> String {
      String(
        (0..<Int.random(in: 0..<9, using: &random)).compactMap { _ in
          letters.randomElement(using: &random)
        })
    }
    let texts = Text(texts: Dictionary([(text(), text()), (text(), text())]) { $1 })
    let json = try JSONEncoder().encode(texts)
    #expect(JSON(Array(json)[...]).pathToNaN == nil)
    let broken = String(decoding: json, as: UTF8.self).dropLast(2) + ",\"x\":[0,NaN]}}"
    #expect(JSON(Array(broken.utf8)[...]).pathToNaN == ["texts", "x", "1"])
  }
}
