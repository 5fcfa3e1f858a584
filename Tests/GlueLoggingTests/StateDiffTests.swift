import Glue
import GlueDescribing
import Testing

/// Results of `stateDiff` for each kind of part.
@Suite struct StateDiffTests {
  private struct Todo: Identifiable {
    var id: Int
    var title = "a"
    var tags: Set<String> = []
  }

  private enum Phase {
    case idle
    case loading(query: String)
    case loaded([String])
    case moved(Int, by: Int)
    indirect case after(Phase)
  }

  private struct App {
    var value = 1
    var phase = Phase.idle
    var selected: Todo?
    var todos = [Todo(id: 1), Todo(id: 2), Todo(id: 3)]
    var settings = ["theme": "dark", "font": "mono"]
    var size = (width: 80, height: 24)
    var shape: Any = 1
  }

  private func lines(_ change: (inout App) -> Void) -> [String] {
    var new = App()
    change(&new)
    return stateDiff(App(), new).lines
  }

  @Test("nothing is listed where nothing changed")
  func nothingIsListedWhereNothingChanged() {
    let diff = stateDiff(App(), App())
    #expect(diff.isEmpty)
    #expect(diff.lines == [])
  }

  @Test("the state itself has no path")
  func theStateItselfHasNoPath() {
    #expect(stateDiff(1, 2).lines == ["1 → 2"])
    #expect(stateDiff("a", "a\n").lines == [#""a" → "a\n""#])
  }

  @Test("a changed property is listed with both values and no other")
  func aChangedPropertyIsListedWithBothValuesAndNoOther() {
    #expect(lines { $0.value = 2 } == ["value: 1 → 2"])
    #expect(lines { $0.size.height = 25 } == ["size.height: 24 → 25"])
  }

  @Test("differences come in the order of the parts")
  func differencesComeInTheOrderOfTheParts() {
    let found = lines {
      $0.size.width = 100
      $0.todos[1].title = "b"
      $0.value = 2
    }
    #expect(
      found == ["value: 1 → 2", #"todos[id: 2].title: "a" → "b""#, "size.width: 80 → 100"])
  }

  @Test("an enumeration changes as a whole or in its payload")
  func anEnumerationChangesAsAWholeOrInItsPayload() {
    #expect(
      lines { $0.phase = .loading(query: "abc") } == [#"phase: .idle → .loading(query: "abc")"#])
    #expect(
      stateDiff(Phase.loading(query: "a"), Phase.idle).lines == [#".loading(query: "a") → .idle"#])
    #expect(
      stateDiff(Phase.loading(query: "a"), Phase.loading(query: "b")).lines
        == [#"loading.query: "a" → "b""#])
    #expect(
      stateDiff(Phase.loaded(["a"]), Phase.loaded(["b"])).lines == [#"loaded[0]: "a" → "b""#])
    #expect(
      stateDiff(Phase.moved(1, by: 2), Phase.moved(2, by: 3)).lines
        == ["moved.0: 1 → 2", "moved.by: 2 → 3"])
    #expect(
      stateDiff(Phase.after(.after(.idle)), Phase.after(.after(.loaded([])))).lines
        == ["after.after: .idle → .loaded([])"])
    #expect(stateDiff(Phase.idle, Phase.idle).isEmpty)
  }

  @Test("an optional changes as a whole or in what it holds")
  func anOptionalChangesAsAWholeOrInWhatItHolds() {
    #expect(
      lines { $0.selected = Todo(id: 1) } == [#"selected: nil → Todo(id: 1, title: "a", tags: [])"#]
    )
    var old = App()
    old.selected = Todo(id: 1)
    var new = old
    new.selected?.title = "b"
    #expect(stateDiff(old, new).lines == [#"selected.title: "a" → "b""#])
    new.selected = nil
    #expect(
      stateDiff(old, new).lines == [#"selected: Todo(id: 1, title: "a", tags: []) → nil"#])
  }

  @Test("an optional collection changes as a whole too")
  func anOptionalCollectionChangesAsAWholeToo() {
    struct Lists {
      var array: [Int]?
      var table: [String: Int]?
      var pairs: KeyValuePairs<String, Int>?
    }
    let full = Lists(array: [1], table: ["a": 1], pairs: ["a": 1])
    #expect(
      stateDiff(full, Lists()).lines
        == ["array: [1] → nil", #"table: ["a": 1] → nil"#, #"pairs: ["a": 1] → nil"#])
    #expect(
      stateDiff(Lists(), full).lines
        == ["array: nil → [1]", #"table: nil → ["a": 1]"#, #"pairs: nil → ["a": 1]"#])
    #expect(
      stateDiff(full, Lists(array: [2], table: ["a": 2], pairs: ["a": 2])).lines
        == ["array[0]: 1 → 2", #"table["a"]: 1 → 2"#, #"pairs["a"]: 1 → 2"#])
  }

  @Test("a dictionary is compared by key")
  func aDictionaryIsComparedByKey() {
    let found = lines {
      $0.settings["theme"] = nil
      $0.settings["font"] = "serif"
      $0.settings["size"] = "big"
    }
    #expect(
      found == [
        #"settings["font"]: "mono" → "serif""#, #"settings["size"]: added "big""#,
        #"settings["theme"]: removed "dark""#,
      ])
    #expect(stateDiff([10: 1, 9: 1], [10: 2, 9: 2]).lines == ["[9]: 1 → 2", "[10]: 1 → 2"])
    #expect(stateDiff([1: Int?.none], [1: 2, 2: nil]).lines == ["[1]: nil → 2", "[2]: added nil"])
  }

  @Test("a set is compared by membership")
  func aSetIsComparedByMembership() {
    #expect(
      lines { $0.todos[0].tags = ["red", "blue"] } == [
        #"todos[id: 1].tags: added "blue""#, #"todos[id: 1].tags: added "red""#,
      ])
    #expect(stateDiff(Set([1, 2, 10]), Set([2])).lines == ["removed 1", "removed 10"])
  }

  @Test("values of other types have changed")
  func valuesOfOtherTypesHaveChanged() {
    #expect(lines { $0.shape = "circle" } == [#"shape: 1 → "circle""#])
    #expect(lines { $0.shape = UInt8(1) } == ["shape: 1 as Int → 1 as UInt8"])
  }

  @Test("types that their mirror describes are compared")
  func typesThatTheirMirrorDescribesAreCompared() {
    struct Box: CustomReflectable {
      var hidden: Int
      var customMirror: Mirror { Mirror(self, children: ["shown": hidden / 10]) }
    }
    #expect(stateDiff(Box(hidden: 12), Box(hidden: 13)).isEmpty)
    #expect(stateDiff(Box(hidden: 12), Box(hidden: 23)).lines == ["shown: 1 → 2"])
    #expect(stateDiff([1, 2][...], [1, 3][...]).lines == ["[1]: 2 → 3"])
    #expect(stateDiff(ContiguousArray([1]), ContiguousArray([1, 2])).lines == ["[1]: added 2"])
  }

  @Test("values of the standard library are shown as a whole")
  func valuesOfTheStandardLibraryAreShownAsAWhole() {
    #expect(
      stateDiff(Duration.seconds(1), Duration.seconds(2)).lines == ["1.0 seconds → 2.0 seconds"])
    #expect(stateDiff(1..<3, 1..<4).lines == ["1..<3 → 1..<4"])
    #expect(stateDiff(AnyHashable(1), AnyHashable(2)).lines == ["1 → 2"])
  }

  @Test("functions are not compared but types are")
  func functionsAreNotComparedButTypesAre() {
    struct Button { var type: Any.Type, action: () -> Void }
    let value = 3
    let old = Button(type: Int.self) {}
    let new = Button(type: String.self) { print(value) }
    #expect(stateDiff(old, new).lines == ["type: Int.self → String.self"])
  }

  @Test("differences beyond the limit are counted")
  func differencesBeyondTheLimitAreCounted() {
    let old = Array(repeating: 0, count: 100_000)
    let new = Array(repeating: 1, count: 100_000)
    let diff = stateDiff(old, new)
    #expect(diff.listed.count == 20)
    #expect(diff.lines.last == "… and 99,980 more differences")
    #expect(
      stateDiff([1, 2, 3], [2, 3, 4], limit: 2).lines
        == ["[0]: 1 → 2", "[1]: 2 → 3", "… and 1 more difference"])
    #expect(stateDiff(1, 2, limit: 0).lines == ["… and 1 more difference"])
  }

  @Test("long values are shortened")
  func longValuesAreShortened() {
    let long = String(repeating: "x", count: 1_000_000)
    #expect(
      stateDiff("", long, valueLimit: 60).lines
        == [#""" → "\#(String(repeating: "x", count: 29))… (+999,971 bytes)"#])
  }

  @Test("no control character is in a line")
  func noControlCharacterIsInALine() {
    let old = ["\u{1B}[2J": "\u{7}"]
    #expect(
      stateDiff(old, ["\u{1B}[2J": "\u{9B}\u{202E}"]).lines
        == [#"["\u{1B}[2J"]: "\u{7}" → "\u{9B}\u{202E}""#])
  }
}
