import Foundation
import Glue
import GlueDescribing
import GlueTesting
import Testing

/// Parts of every kind of `==`, within states, effects and intents that have none.
@Suite("Parts that are the same")
struct PartEqualityTests {
  /// Its mirror shows nothing of what `==` compares.
  private struct Hiding: Equatable, Sendable, CustomReflectable {
    var secret: Int
    var customMirror: Mirror { Mirror(self, children: ["shown": 0]) }
  }

  /// Its `==` leaves out what its mirror shows.
  private struct Caching: Equatable, Sendable {
    var value: Int, cache: Int
    static func == (a: Caching, b: Caching) -> Bool { a.value == b.value }
  }

  /// It has no `==`, so its parts decide.
  private struct Plain: Sendable { var number = Double.nan, inner = Hiding(secret: 1) }

  /// It is not equal to itself.
  private struct Reading: Equatable, Sendable {
    var value = Double.nan
    var list = [1]
  }

  private struct Whole<Part: Sendable>: Sendable {
    var part: Part
    var list: [Part]
    var optional: Part?
    var byKey: [String: Part]

    init(_ part: Part) {
      (self.part, list, optional, byKey) = (part, [part], part, ["a": part])
    }
  }

  private struct Change<Part: Sendable>: Intent { let part: Part }
  private struct Note<Part: Sendable>: Effect { let part: Part }

  /// The failures of a reducer, a store's step and effects that have one part, of a test that
  /// expects another.
  private func failures<Part: Sendable>(_ part: Part, expecting other: Part) async -> [String] {
    let start = Whole(part)
    return await GlueTestingTests.failures {
      expect(
        { (_: inout Whole<Part>, change: Change<Part>) in [Note(part: change.part)] }, from: start,
        when: Change(part: part), effects: [Note(part: other)])
      for keyPath in [\Whole<Part>.part, \.list[0], \.byKey["a"]!] as [WritableKeyPath<_, Part>] {
        let test = TestStore(
          state: start, reducer: { (_: inout Whole<Part>, _: Change<Part>) in [any Effect]() },
          exhaustivity: .off)
        await test.send(Change(part: part)) { $0[keyPath: keyPath] = other }
        test.store.dispatch(Change(part: part))
        await test.receive(Change(part: other))
      }
    }
  }

  @Test("its `==` decides where its mirror shows nothing")
  func hiding() async {
    #expect(await failures(Hiding(secret: 1), expecting: Hiding(secret: 2)).count == 7)
    #expect(await failures(Hiding(secret: 1), expecting: Hiding(secret: 1)) == [])
  }

  @Test("its `==` decides where its mirror shows more")
  func caching() async {
    let caching = Caching(value: 1, cache: 1)
    #expect(await failures(caching, expecting: Caching(value: 1, cache: 2)) == [])
    #expect(await failures(caching, expecting: Caching(value: 2, cache: 1)).count == 7)
  }

  @Test("a history with another past is another")
  func histories() async {
    func history(from start: Int) -> History<Int> {
      var history = History(start)
      history.step { $0 = 9 }
      return history
    }
    #expect(await failures(history(from: 1), expecting: history(from: 2)).count == 7)
    #expect(await failures(history(from: 1), expecting: history(from: 1)) == [])
  }

  @Test("its parts decide where it has none, and a NaN is the same as before")
  func plain() async {
    #expect(await failures(Plain(), expecting: Plain()) == [])
    let other = Plain(inner: Hiding(secret: 2))
    #expect(await failures(Plain(), expecting: other).count == 7)
    #expect(await failures([Double.nan], expecting: [Double.nan]) == [])
    #expect(await failures(Double.nan, expecting: 1).count == 7)
    #expect(await failures(Reading(), expecting: Reading()) == [])
    #expect(await failures(Reading(), expecting: Reading(list: [2])).count == 7)
  }

  @Test("a failure lists the differences that the comparison found")
  func listed() async {
    let messages = await failures(
      Caching(value: 1, cache: 1), expecting: Caching(value: 2, cache: 1))
    #expect(messages.contains { $0.contains("\n  part.value: 2 → 1") })
    #expect(messages.contains { $0.contains("\n  list[0].value: 2 → 1") })
    #expect(messages.contains { $0.contains("\n  byKey[\"a\"].value: 2 → 1") })
  }
}
