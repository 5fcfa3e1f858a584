import Glue
import Testing

/// What `stateDiff` says of arrays.
@Suite struct StateDiffArrayTests {
  private struct Item: Identifiable {
    var id: Int
    var name = "a"
  }

  private func items(_ ids: Int...) -> [Item] { ids.map { Item(id: $0) } }

  @Test func identifiableElementsAreComparedByID() {
    var new = items(5, 2, 3)
    new[1].name = "b"
    #expect(
      stateDiff(items(1, 2, 3), new).lines == [
        #"[id: 1]: removed Item(id: 1, name: "a")"#, #"[id: 5]: added Item(id: 5, name: "a")"#,
        #"[id: 2].name: "a" → "b""#,
      ])
  }

  @Test func aChangedOrderOfIDsIsListed() {
    #expect(stateDiff(items(1, 2, 3, 4), items(1, 3, 2, 4)).lines == ["[order]: [2, 3] → [3, 2]"])
    #expect(
      stateDiff(items(1, 2, 3), items(3, 2)).lines
        == [#"[id: 1]: removed Item(id: 1, name: "a")"#, "[order]: [2, 3] → [3, 2]"])
  }

  @Test func idsThatAreNotUniqueDoNotCount() {
    #expect(stateDiff(items(1, 1), items(2, 2)).lines == ["[0].id: 1 → 2", "[1].id: 1 → 2"])
  }

  @Test func otherElementsAreComparedByPosition() {
    #expect(stateDiff([1, 2, 3], [1, 5, 3]).lines == ["[1]: 2 → 5"])
    #expect(stateDiff([[1], [2]], [[1], [2, 3]]).lines == ["[1][1]: added 3"])
  }

  @Test func whatWasInsertedOrRemovedIsRecognised() {
    #expect(stateDiff([1, 2, 3], [1, 9, 8, 2, 3]).lines == ["[1]: added 9", "[2]: added 8"])
    #expect(stateDiff([1, 2, 3], [2, 3]).lines == ["[0]: removed 1"])
    #expect(stateDiff([1, 1], [1, 1, 1]).lines == ["[2]: added 1"])
    #expect(stateDiff([Int](), [1]).lines == ["[0]: added 1"])
    #expect(stateDiff([1], [Int]()).lines == ["[0]: removed 1"])
  }

  @Test func severalChangesAtDifferentPlacesAreRecognised() {
    #expect(
      stateDiff(Array("abcdefgh"), Array("xabCdfgh!")).lines == [
        #"[0]: added "x""#, #"[3]: "c" → "C""#, #"[4]: removed "e""#, #"[8]: added "!""#,
      ])
  }

  /// Their memory differs, so that they have to be compared.
  @Test func elementsMadeAnewAreRecognisedToo() {
    struct Line { var text: String, words: [String] }
    func line(_ n: Int) -> Line {
      Line(text: "a line that is longer than a small string, number \(n)", words: ["word \(n)"])
    }
    let old = (0..<10).map(line)
    var new = (0..<10).filter { $0 != 2 && $0 != 7 }.map(line)
    new[4].words[0] = "other"
    let removed = stateDiff(old, new, valueLimit: 20).lines
    #expect(
      removed == [
        #"[2]: removed Line(text: "a line …"#, #"[4].words[0]: "word 5" → "other""#,
        #"[7]: removed Line(text: "a line …"#,
      ])
  }

  @Test func arraysWithNothingInCommonAreComparedByPosition() {
    let diff = stateDiff(Array(0..<1000), Array(5000..<6001), limit: 1)
    #expect(diff.lines == ["[0]: 0 → 5000", "… and 1,000 more differences"])
  }
}
