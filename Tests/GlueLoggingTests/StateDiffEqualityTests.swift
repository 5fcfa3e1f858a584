import Foundation
import Glue
import GlueDescribing
import Testing

/// Values that `stateDiff` takes for the same.
@Suite struct StateDiffEqualityTests {
  @Test("an unchanged NaN is not listed")
  func anUnchangedNaNIsNotListed() {
    #expect(stateDiff([1, Double.nan], [2, Double.nan]).lines == ["[0]: 1.0 → 2.0"])
    #expect(stateDiff(Double.nan, 1.0).lines == ["nan → 1.0"])
    #expect(stateDiff(0.0, -0.0).isEmpty)
  }

  @Test("unequal values are listed as a whole if no part differs")
  func unequalValuesAreListedAsAWholeIfNoPartDiffers() {
    struct Bits: Equatable {
      var number: Double
      static func == (a: Bits, b: Bits) -> Bool { a.number.bitPattern == b.number.bitPattern }
    }
    #expect(
      stateDiff([[Bits(number: 0)]], [[Bits(number: -0.0)]]).lines
        == ["[0][0]: Bits(number: 0.0) → Bits(number: -0.0)"])
    struct Hiding: Equatable, CustomReflectable {
      var secret: Int
      var customMirror: Mirror { Mirror(self, children: ["shown": 0]) }
    }
    #expect(
      stateDiff([Hiding(secret: 1)], [Hiding(secret: 2)]).lines
        == ["[0]: Hiding(shown: 0) (no visible difference)"])
    #expect(stateDiff([Hiding(secret: 1)], [Hiding(secret: 2)], limit: 0).isEmpty == false)
  }

  @Test("histories that differ in their past alone show where, with and without an equality")
  func pasts() {
    struct Part { var value: Int }
    var old = History([1])
    old.step { $0 = [2] }
    var new = History([3])
    new.step { $0 = [2] }
    #expect(old != new)
    #expect(stateDiff([old], [new]).lines == ["[0].past[0][0]: 1 → 3"])
    #expect(stateDiff([old], [new], limit: 0).isEmpty == false)
    var plain = History(Part(value: 1))
    plain.step { $0.value = 2 }
    var other = History(Part(value: 3))
    other.step { $0.value = 2 }
    #expect(stateDiff(plain, other).lines == ["past[0].value: 1 → 3"])
    #expect(stateDiff(plain, plain).isEmpty)
    other.step { $0.value = 4 }
    #expect(stateDiff(plain, other).lines == ["present.value: 2 → 4", "undoCount: 1 → 2"])
    plain.jump(by: -1)
    plain.jump(by: 1)
    var grouped = History(Part(value: 1))
    grouped.step(group: "a") { $0.value = 2 }
    #expect(stateDiff(plain, grouped).lines == [#"group: nil → "\"a\"""#])
  }

  @Test("properties that a part's equality ignores are not listed")
  func whatTheEqualityOfAPartLeavesOutIsNotListed() {
    struct User: Equatable {
      var id: Int, name: String, cache = 0
      static func == (a: User, b: User) -> Bool { (a.id, a.name) == (b.id, b.name) }
    }
    struct State { var user: User, count = 0 }
    let old = State(user: User(id: 1, name: "a"))
    #expect(stateDiff(old, State(user: User(id: 1, name: "a", cache: 5))).isEmpty)
    #expect(stateDiff([old.user], [User(id: 1, name: "a", cache: 5)]).isEmpty)
    #expect(
      stateDiff(old, State(user: User(id: 1, name: "a", cache: 5), count: 1)).lines
        == ["count: 0 → 1"])
    #expect(
      stateDiff(old, State(user: User(id: 1, name: "b", cache: 5))).lines
        == ["user.name: \"a\" → \"b\"", "user.cache: 0 → 5"])
  }

  @Test("values without parts are compared by their equality")
  func valuesWithoutPartsAreComparedByTheirEquality() {
    struct Opaque: Equatable, CustomReflectable {
      var hidden: Int
      var customMirror: Mirror { Mirror(self, children: []) }
    }
    #expect(stateDiff(Opaque(hidden: 1), Opaque(hidden: 1)).isEmpty)
    #expect(
      stateDiff(Opaque(hidden: 1), Opaque(hidden: 2)).lines == ["Opaque() (no visible difference)"])
  }

  @Test("changes behind an equal text are listed")
  func changesBehindAnEqualTextAreTold() {
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

  @Test("the difference of unequal values is shown")
  func whatTellsUnequalValuesApartIsShown() {
    let nan = Double(nan: 1, signaling: false)
    #expect(stateDiff(Double.nan, nan).lines == ["nan → nan(0x1)"])
    #expect(stateDiff(Float.nan, Float(nan: 2, signaling: false)).lines == ["nan → nan(0x2)"])
    #expect(stateDiff([Int??.none], [Int??.some(.none)]).lines == ["[0]: nil → .some(nil)"])
    #expect(
      stateDiff([1: Int???.none], [1: Int???.some(.some(.none))]).lines == [
        "[1]: nil → .some(.some(nil))"
      ])
    #expect(stateDiff([Int??.some(.none)], [Int??.some(1)]).lines == ["[0]: nil → 1"])
    let year = Duration.seconds(31_557_600)
    #expect(
      stateDiff(year, year + .nanoseconds(1)).lines
        == ["31557600.0 seconds → 31557600.000000001 seconds"])
    #expect(
      stateDiff(Duration.zero, Duration.milliseconds(-1500)).lines == ["0.0 seconds → -1.5 seconds"]
    )
  }

  @Test("dates are shown to the nanosecond")
  func datesAreShownToTheNanosecond() {
    func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
    #expect(
      stateDiff([date(5e8)], [date(5e8 + 0.25)]).lines
        == ["[0]: 2016-11-05 00:53:20 +0000 → 2016-11-05 00:53:20.25 +0000"])
    #expect(
      stateDiff(Set([date(0)]), Set([date(-0.001)])).lines == [
        "removed 2001-01-01 00:00:00 +0000", "added 2000-12-31 23:59:59.999 +0000",
      ])
    #expect(
      stateDiff(date(0), date(-1e-9)).lines
        == ["2001-01-01 00:00:00 +0000 → Date(timeIntervalSinceReferenceDate: -1e-09)"])
    #expect(
      stateDiff(date(1e16), date(.nan)).lines == [
        "Date(timeIntervalSinceReferenceDate: 1e+16) → Date(timeIntervalSinceReferenceDate: nan)"
      ])
  }

  @Test("of long data the first byte that differs is shown")
  func ofLongDataTheFirstByteThatDiffersIsShown() {
    var old = Data(repeating: 7, count: 20_000)
    var new = old
    new[19_998] = 0xAB
    #expect(
      stateDiff(["d": old], ["d": new]).lines
        == [#"["d"]: 20000 bytes, from byte 19998: 0707 → 20000 bytes, from byte 19998: ab07"#])
    old.removeLast(3)
    #expect(
      stateDiff(old, new).lines
        == ["19997 bytes, from byte 19997:  → 20000 bytes, from byte 19997: 07ab07"])
    #expect(stateDiff(Data([1, 2]), Data([1, 3])).lines == ["2 bytes: 0102 → 2 bytes: 0103"])
    #expect(
      stateDiff(old, new, rewording: { value, _ in value is Data ? "data" : nil }).lines
        == ["data (no visible difference)"])
  }

  @Test("a value that is not equal to itself is the same if it reads the same")
  func whatIsNotEqualToItselfIsTheSameIfItReadsTheSame() {
    let nan = Double.nan
    #expect(stateDiff(Set([1, nan]), Set([nan, 1])).isEmpty)
    #expect(stateDiff(Set([1, nan]), Set([nan, 2])).lines == ["removed 1.0", "added 2.0"])
    var two: Set = [nan]
    two.insert(nan)
    #expect(stateDiff(Set([nan]), two).lines == ["added nan"])
    #expect(stateDiff(two, Set([nan])).lines == ["removed nan"])
    #expect(stateDiff([nan: 1, 2: 3], [2: 3, nan: 1]).isEmpty)
    #expect(stateDiff([nan: 1], [nan: 2]).lines == ["[nan]: 1 → 2"])
    #expect(stateDiff([nan: 1], [1.0: 1]).lines == ["[1.0]: added 1", "[nan]: removed 1"])
    struct Point: Identifiable { let id: Double, x: Int }
    #expect(stateDiff([Point(id: nan, x: 1)], [Point(id: nan, x: 2)]).lines == ["[0].x: 1 → 2"])
  }

  @Test("deep nesting uses constant stack")
  func deepNestingUsesConstantStack() {
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
