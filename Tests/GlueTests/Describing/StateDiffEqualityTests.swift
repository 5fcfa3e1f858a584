import Glue
import Testing

/// What `stateDiff` takes for the same.
@Suite struct StateDiffEqualityTests {
  @Test func anUnchangedNaNIsNotListed() {
    #expect(stateDiff([1, Double.nan], [2, Double.nan]).lines == ["[0]: 1.0 → 2.0"])
    #expect(stateDiff(Double.nan, 1.0).lines == ["nan → 1.0"])
    #expect(stateDiff(0.0, -0.0).isEmpty)
  }

  @Test func statesKnownToBeUnequalAreListedAsAWholeIfNoPartDiffers() {
    #expect(
      stateDiff([Double.nan], [Double.nan], areUnequal: true).lines
        == ["[nan] (no visible difference)"])
    #expect(
      stateDiff([[0.0, .nan]], [[-0.0, .nan]], areUnequal: true).lines
        == ["[[0.0, nan]] → [[-0.0, nan]]"])
    #expect(stateDiff([1], [2], areUnequal: true).lines == ["[0]: 1 → 2"])
  }

  @Test func whatTheEqualityOfTheWholeLeavesOutIsListed() {
    struct User: Equatable {
      var id: Int, name: String
      static func == (a: User, b: User) -> Bool { a.id == b.id }
    }
    #expect(
      stateDiff([User(id: 1, name: "a")], [User(id: 1, name: "b")]).lines
        == [#"[0].name: "a" → "b""#])
  }

  @Test func valuesWithoutPartsAreComparedByTheirEquality() {
    struct Opaque: Equatable, CustomReflectable {
      var hidden: Int
      var customMirror: Mirror { Mirror(self, children: []) }
    }
    #expect(stateDiff(Opaque(hidden: 1), Opaque(hidden: 1)).isEmpty)
    #expect(
      stateDiff(Opaque(hidden: 1), Opaque(hidden: 2)).lines == ["Opaque() (no visible difference)"])
  }

  @Test func changesBehindAnEqualTextAreTold() {
    struct Password: CustomStringConvertible {
      var raw: String
      var description: String { "<hidden>" }
    }
    #expect(stateDiff(Password(raw: "a"), Password(raw: "a")).isEmpty)
    #expect(
      stateDiff(Password(raw: "a"), Password(raw: "b")).lines == [
        "<hidden> (no visible difference)"
      ])
    #expect(stateDiff("a" as StaticString, "b" as StaticString).lines == ["a → b"])
    #expect(stateDiff("a" as StaticString, "a" as StaticString).isEmpty)
  }

  @Test func deepNestingUsesConstantStack() {
    indirect enum List { case end, item(Int, List) }
    func list(_ last: Int) -> List {
      (0..<4_000).reduce(.item(last, .end)) { .item($1, $0) }
    }
    #expect(stateDiff(list(1), list(1)).isEmpty)
    #expect(
      stateDiff(list(1), list(2)).lines
        == [
          "item.1.item.1.item.1.item.1.item.1.item…"
            + ".item.1.item.1.item.1.item.1.item.1.item.0: 1 → 2"
        ])
  }
}
