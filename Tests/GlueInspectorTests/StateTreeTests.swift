import Foundation
import Glue
import GlueDescribing
import Testing

@testable import GlueInspector

@Suite("The tree of a state")
struct StateTreeTests {
  private func tree(_ value: Any) -> String { StateTree(of: value, rewording: nil).json }

  private struct Whole {
    var optional: Int? = 1
    var none: Int?
    var pair = (1, name: "x")
    var choice = Choice.some(of: 1, "b")
    var empty: [Int] = []
    enum Choice { case some(of: Int, String) }
  }

  @Test("structures, optionals, tuples and cases")
  func structures() {
    #expect(
      tree(Whole()) == """
        ["","Whole","p",[[".optional","1"],[".none","nil"],\
        [".pair","","p",[[".0","1"],[".name","\\"x\\""]],0],\
        [".choice",".some","e",[[".some","","p",[[".of","1"],[".1","\\"b\\""]],0]],0],\
        [".empty","","a",[],0]],0]
        """)
  }

  @Test("elements have their ids, entries their keys, others no step, and members are strings")
  func collections() {
    #expect(
      tree([Hit(id: 7, name: "x")])
        == #"["","","a",[["[id: 7]","Hit","p",[[".id","7"],[".name","\"x\""]],0]],0]"#)
    #expect(
      tree(["a": Int??.some(nil), "b": nil])
        == #"["","","d",[["[\"a\"]",".some(nil)"],["[\"b\"]","nil"]],0]"#)
    #expect(tree([4, 5]) == #"["","","a",[["","4"],["","5"]],0]"#)
    #expect(
      tree(["b": 1, "a": 2]) == #"["","","d",[["[\"a\"]","2"],["[\"b\"]","1"]],0]"#)
    #expect(
      tree(Set([Hit(id: 3, name: "x")])) == #"["","","s",[["","Hit(id: 3, name: \"x\")"]],0]"#)
  }

  private struct Backwards: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["na\u{202E}me": 1]) }
  }

  @Test("labels are escaped as values are, and as the paths of differences")
  func labels() {
    #expect(tree(Backwards()) == #"["","Backwards","p",[[".na\\u{202E}me","1"]],0]"#)
    #expect(
      stateDiff(["na\u{202E}me": 1], ["na\u{202E}me": 2]).lines == [#"["na\u{202E}me"]: 1 → 2"#])
  }

  private final class Box { var value = 1 }
  private struct Loose {
    unowned var gone: Box
    weak var none: Box?
  }

  @Test("objects are not inspected, and unowned references are not read")
  func references() {
    let loose = Loose(gone: Box())
    #expect(tree(loose).contains(#"[".gone","(weak or unowned)"]"#))
    #expect(tree(Box()).contains("Box #"))
  }

  private struct Endless: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["a": Endless(), "b": Endless()]) }
  }

  @Test("a large or infinite value is cut, and says how much is missing")
  func large() throws {
    #expect(tree(Endless()).utf8.count < 2_000_000)
    #expect(tree(Array(0..<1000)).hasSuffix(#"["","199"]],800]"#))
    #expect(tree(Array(repeating: Array(0..<1000), count: 1000)).utf8.count < 2_000_000)
    #expect(tree(String(repeating: "x", count: 10_000_000)).utf8.count < 400)
  }
}
