import Glue
import GlueDescribing
import GlueTesting
import Testing

/// Results of `stateDiff` for arrays.
@Suite struct StateDiffArrayTests {
  private struct Item: Identifiable {
    var id: Int
    var name = "a"
  }

  private func items(_ ids: Int...) -> [Item] { ids.map { Item(id: $0) } }

  @Test("identifiable elements are compared by id")
  func identifiableElementsAreComparedByID() {
    var new = items(5, 2, 3)
    new[1].name = "b"
    #expect(
      stateDiff(items(1, 2, 3), new).lines == [
        #"[id: 1]: removed Item(id: 1, name: "a")"#, #"[id: 5]: added Item(id: 5, name: "a") at 0"#,
        #"[id: 2].name: "a" → "b""#,
      ])
  }

  @Test("a changed order of ids is listed by as few moves as it takes")
  func aChangedOrderOfIDsIsListedByAsFewMovesAsItTakes() {
    #expect(
      stateDiff(items(1, 2, 3, 4), items(4, 1, 2, 3)).lines == ["[id: 4]: moved from 3 to 0"])
    #expect(
      stateDiff(items(1, 2, 3, 4), items(2, 3, 4, 1)).lines == ["[id: 1]: moved from 0 to 3"])
    #expect(
      stateDiff(items(1, 2, 3), items(3, 2)).lines
        == [#"[id: 1]: removed Item(id: 1, name: "a")"#, "[id: 3]: moved from 2 to 0"])
    #expect(
      stateDiff(items(1, 2, 3), items(3, 2, 1)).lines
        .contains("[id: 2]: still at 1 while others moved past it"))
  }

  @Test("no order of ids is listed by more moves than it takes")
  func noOrderOfIDsIsListedByMoreMovesThanItTakes() {
    for seed in 0..<200 as Range<UInt64> {
      var generator = Xorshift(seed: seed)
      let old = Array(0..<(2 + generator.next(below: 200)))
      let new = old.shuffled(using: &generator)
      let moves = stateDiff(old.map { Item(id: $0) }, new.map { Item(id: $0) }, limit: .max).lines
      #expect(moves.count == new.difference(from: old).removals.count, "seed \(seed)")
    }
  }

  @Test("of arrays with too many differences the first are listed")
  func ofArraysWithTooManyDifferencesTheFirstAreListed() {
    let old = Array(0..<10_000)
    let lines = stateDiff(old, old.filter { !$0.isMultiple(of: 10) }, limit: .max).lines
    let removed = lines.dropLast()
    #expect(removed == removed.indices.map { "[\(10 * $0)]: removed \(10 * $0)" }[...])
    #expect(lines.count > 200)
    #expect(lines.last?.contains(" elements replaced by ") == true)
  }

  @Test("an element that stays at its position can change places too")
  func anElementThatStaysAtItsPositionCanChangePlacesToo() {
    #expect(
      stateDiff(items(7, 10, 1), items(1, 10, 5)).lines == [
        #"[id: 7]: removed Item(id: 7, name: "a")"#, "[id: 1]: moved from 2 to 0",
        #"[id: 5]: added Item(id: 5, name: "a") at 2"#,
      ])
  }

  @Test("ids that are not unique in the whole array do not count")
  func idsThatAreNotUniqueInTheWholeArrayDoNotCount() {
    #expect(stateDiff(items(1, 1), items(2, 2)).lines == ["[0].id: 1 → 2", "[1].id: 1 → 2"])
    var new = items(1, 1, 2)
    new[1].name = "b"
    #expect(stateDiff(items(1, 1, 2), new).lines == [#"[1].name: "a" → "b""#])
  }

  @Test("other elements are compared by position")
  func otherElementsAreComparedByPosition() {
    #expect(stateDiff([1, 2, 3], [1, 5, 3]).lines == ["[1]: 2 → 5"])
    #expect(stateDiff([[1], [2]], [[1], [2, 3]]).lines == ["[1][1]: added 3"])
    #expect(
      stateDiff(["K", "", ""], ["", "", "K"]).lines == [#"[0]: "K" → """#, #"[2]: "" → "K""#])
  }

  @Test("insertions and removals are recognized")
  func whatWasInsertedOrRemovedIsRecognised() {
    #expect(stateDiff([1, 2, 3], [1, 9, 8, 2, 3]).lines == ["[1]: added 9", "[2]: added 8"])
    #expect(stateDiff([1, 2, 3], [2, 3]).lines == ["[0]: removed 1"])
    #expect(stateDiff([1, 1], [1, 1, 1]).lines == ["[2]: added 1"])
    #expect(stateDiff([Int](), [1]).lines == ["[0]: added 1"])
    #expect(stateDiff([1], [Int]()).lines == ["[0]: removed 1"])
  }

  @Test("several changes at different places are recognized")
  func severalChangesAtDifferentPlacesAreRecognised() {
    #expect(
      stateDiff(Array("abcdefgh"), Array("xabCdfgh!")).lines == [
        #"[0]: added "x""#, #"[3]: "c" → "C""#, #"[4]: removed "e""#, #"[8]: added "!""#,
      ])
  }

  /// As in the last messages, of which so many are kept.
  @Test("elements that have all moved aside are recognized")
  func elementsThatHaveAllMovedAsideAreRecognised() {
    #expect(
      stateDiff(Array(0..<100), Array(1..<101)).lines == ["[0]: removed 0", "[99]: added 100"])
  }

  /// Their memory differs, so that they have to be compared.
  @Test("elements made anew are recognized too")
  func elementsMadeAnewAreRecognisedToo() {
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

  @Test("equal elements that differ in a part are not listed")
  func equalElementsThatDifferInAPartAreNotListed() {
    struct User: Equatable {
      var number: Int, name: String
      static func == (a: User, b: User) -> Bool { a.number == b.number }
    }
    let old = [User(number: 1, name: "a"), User(number: 2, name: "b")]
    let new = [User(number: 0, name: "c"), User(number: 1, name: "A"), User(number: 2, name: "b")]
    #expect(
      stateDiff(old, new).lines
        == [#"[0]: added User(number: 0, name: "c")"#])
  }

  @Test("of arrays with nothing in common the line says how many elements were replaced")
  func ofArraysWithNothingInCommonTheLineSaysHowManyElementsWereReplaced() {
    #expect(
      stateDiff(["l": Array(0..<1000)], ["l": Array(5000..<6001)]).lines
        == [#"["l"]: 1,000 elements replaced by 1,001"#])
  }

  @Test("the order of other ordered collections counts")
  func theOrderOfOtherOrderedCollectionsCounts() {
    let old: KeyValuePairs = ["a": 1, "b": 2]
    let swapped: KeyValuePairs = ["b": 2, "a": 1]
    #expect(stateDiff(old, swapped).lines == [#"["b"]: moved from 1 to 0"#])
    let twice: KeyValuePairs = ["a": 1, "a": 2]
    #expect(
      stateDiff(twice, ["a": 1, "a": 3] as KeyValuePairs).lines == ["[1].value: 2 → 3"])
  }

  @Test("members of sets need not be hashable")
  func membersOfSetsNeedNotBeHashable() {
    struct Odd: CustomReflectable {
      struct Member { var value: Int }
      var members: [Member]
      var customMirror: Mirror { Mirror(self, unlabeledChildren: members, displayStyle: .set) }
    }
    #expect(
      stateDiff(Odd(members: [.init(value: 1)]), Odd(members: [.init(value: 2)])).lines
        == ["[0].value: 1 → 2"])
  }
}
