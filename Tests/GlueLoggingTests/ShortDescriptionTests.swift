import Glue
import Testing
import GlueDescribing

@Suite struct ShortDescriptionTests {
  private struct Todo {
    var id = 1
    var title: Substring = "a"
    var due: Duration?
  }

  private enum Phase: Hashable {
    case idle
    case loading(query: String, page: Int)
    case failed(Int)
  }

  private enum Weekday: CustomStringConvertible {
    case monday
    var description: String { "Monday" }
  }

  private func text(_ value: Any, limit: Int = 100) -> String {
    shortDescription(of: value, limit: limit)
  }

  @Test("values are written as in swift")
  func valuesAreWrittenAsInSwift() {
    #expect(text(Todo()) == #"Todo(id: 1, title: "a", due: nil)"#)
    #expect(text(Todo(due: .seconds(2))) == #"Todo(id: 1, title: "a", due: 2.0 seconds)"#)
    #expect(text([Phase.idle, .failed(3)]) == "[.idle, .failed(3)]")
    #expect(text(Phase.loading(query: "a", page: 2)) == #".loading(query: "a", page: 2)"#)
    #expect(text((1, b: "c" as Character)) == #"(1, b: "c")"#)
    #expect(text([Int]()) == "[]")
    #expect(text([Int: Int]()) == "[:]")
    #expect(text(Int?.none as Any) == "nil")
    #expect(text(AnyHashable("a")) == #""a""#)
    #expect(text(Weekday.monday) == "Monday")
    #expect(text([1.5, -0.0, .nan]) == "[1.5, -0.0, nan]")
    #expect(text(Int.self) == "Int.self")
    #expect(text({} as () -> Void) == "(Function)")
  }

  @Test("dictionaries and sets are sorted")
  func dictionariesAndSetsAreSorted() {
    #expect(text([10: "b", 9: "a"]) == #"[9: "a", 10: "b"]"#)
    #expect(text(Set(["c", "a", "b"])) == #"["a", "b", "c"]"#)
    #expect(text([Phase.idle: 1, .failed(1): 2]) == "[.failed(1): 2, .idle: 1]")
  }

  @Test("characters that control a terminal are escaped")
  func whatATerminalWouldActOnIsEscaped() {
    #expect(text("a\"b\\c\n\t\r\0\u{1B}[31m") == #""a\"b\\c\n\t\r\u{0}\u{1B}[31m""#)
    #expect(
      text("\u{7F}\u{85}\u{9B}\u{202E}\u{2028}\u{FEFF}")
        == #""\u{7F}\u{85}\u{9B}\u{202E}\u{2028}\u{FEFF}""#)
    #expect(text("é 👩‍👧 日本") == #""é 👩‍👧 日本""#)
  }

  @Test("descriptions and labels are escaped too")
  func descriptionsAndLabelsAreEscapedToo() {
    struct Odd: CustomReflectable {
      var customMirror: Mirror { Mirror(self, children: ["\u{1B}": 1], displayStyle: .struct) }
    }
    #expect(text(Odd()) == #"Odd(\u{1B}: 1)"#)
  }

  @Test("a text is never longer than its limit")
  func aTextIsNeverLongerThanItsLimit() {
    let value = [Todo(title: "long, long"), Todo(title: "\n\n\n"), Todo(due: .seconds(1))]
    let whole = text(value, limit: 1000).unicodeScalars.count
    for limit in 0...(whole + 1) {
      let count = text(value, limit: limit).unicodeScalars.count
      #expect(count <= limit)
      #expect((count == whole) == (limit >= whole))
    }
  }

  @Test("omitted elements are counted")
  func whatIsLeftOutIsCounted() {
    #expect(text("abcdef", limit: 5) == #""abc…"#)
    #expect(text(String(repeating: "x", count: 100), limit: 60).hasSuffix("xxx… (+71 bytes)"))
    #expect(
      text(Array(0..<1_000_000), limit: 60) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9,… (+999,990 elements)"
    )
    #expect(text([String(repeating: "x", count: 99)], limit: 60).hasSuffix("xxx… (+1 elements)"))
  }

  @Test("only what is shown is looked at")
  func onlyWhatIsShownIsLookedAt() {
    final class Visits { var count = 0 }
    struct Counted: CustomReflectable {
      let visits: Visits
      var customMirror: Mirror {
        visits.count += 1
        return Mirror(self, children: ["a": 1])
      }
    }
    let visits = Visits()
    _ = text(Array(repeating: Counted(visits: visits), count: 1_000_000), limit: 100)
    #expect(visits.count < 50)
  }

  @Test("deep nesting ends")
  func deepNestingEnds() {
    indirect enum List { case end, item(List) }
    let list = (0..<1000).reduce(List.end) { list, _ in .item(list) }
    #expect(text(list, limit: 20) == ".item(.item(.item(.…")
    #expect(text(list, limit: 1_000_000).hasSuffix("item(…" + String(repeating: ")", count: 64)))
  }

  @Test("a text whose start is left out begins with an ellipsis, however little that is")
  func ellipsis() {
    #expect(shortDescription(of: "abc", limit: 20, from: 0) == #""abc""#)
    #expect(shortDescription(of: "abc", limit: 20, from: 1) == #""…bc""#)
    #expect(shortDescription(of: "abc", limit: 20, from: 2) == #""…c""#)
  }
}
