import Glue
import Testing

/// What `stateDiff` takes for the same, and how it deals with objects.
@Suite struct StateDiffEqualityTests {
  private class Node {
    var value: Int
    var next: Node?
    init(_ value: Int, _ next: Node? = nil) {
      self.value = value
      self.next = next
    }
  }

  private final class Named: Node {
    var name = "a"
  }

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

  @Test func objectsAreComparedByIdentityThenByTheirProperties() {
    let node = Node(1, Node(2))
    #expect(stateDiff(node, node).isEmpty)
    #expect(stateDiff(node, Node(1, Node(2))).isEmpty)
    #expect(stateDiff(node, Node(1, Node(3))).lines == ["next.value: 2 → 3"])
    #expect(stateDiff(node, Node(1)).lines == ["next: Node(value: 2, next: nil) → nil"])
  }

  @Test func inheritedPropertiesCountAndSoDoesTheClass() {
    let named = Named(1)
    named.name = "b"
    named.value = 2
    #expect(stateDiff(Named(1), named).lines == ["value: 1 → 2", #"name: "a" → "b""#])
    #expect(
      stateDiff(Node(1), Named(1)).lines
        == [#"Node(value: 1, next: nil) → Named(value: 1, next: nil, name: "a")"#])
  }

  /// A ring of objects; it is undone at the end, so that they are released.
  private func ring(_ count: Int, last: Int) -> Node {
    let first = Node(last)
    var node = first
    for value in (0..<(count - 1)).reversed() { node = Node(value, node) }
    first.next = node
    return first
  }

  @Test func cyclesEnd() {
    let rings = [ring(2, last: 5), ring(2, last: 5), ring(2, last: 6)]
    defer { for ring in rings { ring.next = nil } }
    #expect(stateDiff(rings[0], rings[1]).isEmpty)
    #expect(stateDiff(rings[0], rings[2]).lines == ["value: 5 → 6"])
  }

  /// Their pairs are a hundred million.
  @Test func cyclesOfDifferentLengthsEndSoon() {
    let rings = [ring(10_000, last: 5), ring(10_001, last: 5)]
    defer { for ring in rings { ring.next = nil } }
    let diff = stateDiff(rings[0], rings[1])
    #expect(!diff.isEmpty)
    #expect(diff.listed.count + diff.unlistedCount <= 20_001)
  }

  @Test func deepNestingUsesConstantStack() {
    indirect enum List { case end, item(Int, List) }
    func list(_ last: Int) -> List {
      (0..<20_000).reduce(.item(last, .end)) { .item($1, $0) }
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
