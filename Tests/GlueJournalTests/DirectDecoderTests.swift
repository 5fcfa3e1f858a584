import Foundation
import GlueTesting
import Testing

@testable import GlueJournal

@Suite("J12: values are read as JSONDecoder reads them")
struct DirectDecoderTests {
  private let coding = JournalFormat(of: Int.self, intents: []).coding

  private func jsonDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }

  /// Compares what is read from a text with what `JSONDecoder` reads.
  ///
  /// - Returns: whether it was read without `JSONDecoder`.
  @discardableResult
  private func check<Value: Decodable & Equatable>(_ type: Value.Type, _ text: String) -> Bool {
    let expected = try? jsonDecoder().decode(type, from: Data(text.utf8))
    let value = DirectDecoder.value(type, from: JSON(Array(text.utf8)[...]))
    if let value { #expect(value == expected, "\(text)") }
    return value != nil
  }

  /// Reads what is written of a value.
  private func check<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
    let text = String(decoding: try coding.encode(value), as: UTF8.self)
    return check(Value.self, text)
  }

  private struct Plain: Codable, Equatable {
    enum Kind: Codable, Equatable { case none, one(Int), two(text: String, [Int]) }
    enum Color: String, Codable { case red }
    struct Empty: Codable, Equatable {}
    var text = "plain"
    var number = -5
    var share = -0.25
    var single: Float = 0.1
    var isOn = true
    var missing: Int?
    var kinds: [Kind] = [.none, .one(1), .two(text: "", [1, 2])]
    var names = ["a": 1, "b c": 2]
    var lines: [Int: String] = [7: "seven"]
    var pairs: [Color: [Float]] = [.red: [1, 0.5]]
    var lists: [[Int]: Set<Int>] = [[1]: [1, 2], []: []]
    var color = Color.red
    var nested: [[Bool?]] = [[], [nil, false]]
    var date = Date(timeIntervalSince1970: 1e9 + 0.5)
    var id = UUID()
    var empty = Empty()
    var last: String?
  }

  @Test("a value of usual types needs no JSONDecoder")
  func usual() throws {
    #expect(try check(Plain()))
    #expect(try check([Plain(missing: 1), Plain(last: "x"), Plain(missing: 2, last: "")]))
    #expect(try check(["a": Plain(), "b": Plain()]))
    #expect(try check(Int?.none))
    #expect(try check(Int?.some(1)))
    #expect(try check([Int?.none, 1]))
    #expect(try check([Data(), Data([0, 255]), Data(0..<99)]))
    #expect(try check([URL(string: "https://example.org/?a=b#c")]))
    #expect(try check([Int.min, .max, 0, -1]))
    #expect(try check([UInt64.max, 0]))
    #expect(try check([Int8.min, .max]))
    #expect(try check([Int128.max, .min]))
    for text in textsOfAllKinds {
      #expect(try check(text))
      #expect(try check([text: text]))
    }
  }

  @Test("a number has the same bits", arguments: 0..<20)
  func numbers(seed: Int) throws {
    var random = Xorshift(seed: UInt64(seed))
    for _ in 0..<500 {
      let double = Double(bitPattern: random.next())
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      if double.isFinite { #expect(try check(double)) }
      if float.isFinite { #expect(try check([float])) }
      let (number, power) = (Int.random(in: 0...99_999_999, using: &random), [1, 10, 1e3, 1e6])
      let share = Double(number) / (power.randomElement(using: &random) ?? 1)
      #expect(try check([share]))
      #expect(try check([Float(share)]))
      check(Float.self, "\(share)")
    }
  }

  @Test("what has another form is left to JSONDecoder, or is the same")
  func otherForms() {
    for text in [
      "", "-", "--1", "01", "-01", "-0", "1.", "1.0", "1.5", ".5", "1e2", "1E2", "1e", "1e+2", "+1",
      "1e400", "256", "-129", "99999999999999999999", "\"1\"", "null", "true", "tru", "truex", " 1",
      "1 ", "[1]", "\"inf\"", "\"-inf\"", "NaN", "1-2", "1.e2", "0.5", "0", "00", "0x10",
    ] {
      check(Int.self, text)
      check(Int8.self, text)
      check(UInt.self, text)
      check(Double.self, text)
      check(Float.self, text)
      check(Bool.self, text)
      check(String.self, text)
      check(Int?.self, text)
    }
    for text in [
      "\"", "\"\"", "\"a", "\"\\\"", "\"\\\"\"", "\"\\u00e4\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"",
      "\"\\ud83dx\"", "\"\\ud83d\\uddc0A\"", "\"\\u12\"", "\"\\x\"", "\"\\/\"", "\"\t\"",
      "\"\\b\\f\\n\\r\\t\"", "\"\\",
    ] { check(String.self, text) }
    for text in ["[", "[]", "[1", "[1,", "[1,]", "[,1]", "[1 ,2]", "[1,2]", "[1]]", "{}", "[[1]]"] {
      check([Int].self, text)
      check(Set<Int>.self, text)
      check([[Int]].self, text)
    }
    let invalid: [UInt8] = [quote, 0xFF, quote]
    #expect(DirectDecoder.value(String.self, from: JSON(invalid[...])) == nil)
  }

  private struct Three: Codable, Equatable {
    var a: Int
    var b: [String: Int]?
    var c: Int?
  }

  @Test("members may stand in any order, be missing, be null, and have escapes in their names")
  func members() {
    for text in [
      #"{"a":1}"#, #"{"a":1,"b":{"x":1},"c":2}"#, #"{"c":2,"b":{"x":1},"a":1}"#,
      #"{"b":{"c":9,"a":8},"x":[{"a":1}],"a":1}"#, #"{"a":1,"c":null}"#, #"{"b":null,"a":1}"#,
      #"{"c":2,"a":1}"#, #"{"a":1,"x":"}\"","c":2}"#,
    ] { #expect(check(Three.self, text), "\(text)") }
    for text in [
      #"{"\u0061":1}"#, #"{"a":1,"\u0063":2}"#, #"{"a":1,}"#, #"{"a":1"#, #"{"a" :1}"#, #"{"a"}"#,
      #"{"a":}"#, #"{}"#, #"{"b":{},"c":1}"#, #"{"a":1]"#, #"{"a":1}}"#, #"{a:1}"#,
    ] { check(Three.self, text) }
    let padding = String(repeating: "x", count: 5000)
    #expect(check(Three.self, #"{"x":"\#(padding)","c":2,"a":1}"#))
    #expect(check([String: Int].self, #"{"é":1,"\u00e9b":2}"#))
    #expect(!check([String: Int].self, #"{"a":1,"a":2}"#))
  }

  /// Reads a value by trying two types, in a container of its own each time.
  private enum Either: Codable, Equatable {
    case number(Int), text(String)

    init(from decoder: any Decoder) throws {
      if let number = try? decoder.singleValueContainer().decode(Int.self) {
        self = .number(number)
      } else {
        self = try .text(decoder.singleValueContainer().decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .number(let number): try value.encode(number)
      case .text(let text): try value.encode(text)
      }
    }
  }

  private class Base: Codable, Equatable {
    var base = 1
    static func == (a: Base, b: Base) -> Bool { a.base == b.base }
  }

  private final class Derived: Base {
    var own = [2]
    private enum CodingKeys: CodingKey { case own }

    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      own = try values.decode([Int].self, forKey: .own)
      try super.init(from: values.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(own, forKey: .own)
      try super.encode(to: values.superEncoder())
    }
  }

  /// Reads containers within containers, counts, and reads only a part.
  private struct Partial: Decodable, Equatable {
    private enum Key: CodingKey { case lists, more }
    var first = 0
    var counts: [Int] = []
    var hasMore = false

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      var lists = try values.nestedUnkeyedContainer(forKey: .lists)
      counts.append(lists.count ?? -1)
      var inner = try lists.nestedUnkeyedContainer()
      first = try inner.decode(Int.self)
      counts += [inner.count ?? -1, inner.currentIndex, lists.currentIndex]
      if try !lists.decodeNil() { counts.append(-2) }
      let more = try decoder.container(keyedBy: Key.self)
      hasMore = try more.nestedContainer(keyedBy: Key.self, forKey: .more).contains(.more)
    }
  }

  /// Refuses what it is given, as long as its coding path is empty.
  private struct Placed: Decodable, Equatable {
    var depth: Int
    init(from decoder: any Decoder) throws { depth = decoder.codingPath.count }
  }

  @Test("types with a coding of their own are read in the same way")
  func ownCoding() throws {
    #expect(check([Either].self, "[1,2]"))
    check([Either].self, #"[1,"a",[]]"#)
    check([Either].self, #"[1,"a",2]"#)
    #expect(
      try coding.decode([Either].self, from: JSON(Array(#"[1,"a"]"#.utf8)[...])) == [
        .number(1), .text("a"),
      ])
    #expect(try check([Derived(), Derived()]))
    for text in [
      #"{"lists":[[1,2,3],null,[4]],"more":{"more":1}}"#,
      #"{"more":{"x":[{"more":1}]},"lists":[[1]," "],"last":0}"#,
    ] { check([Partial].self, "[\(text),\(text)]") }
    check([Placed].self, "[1,2]")
    #expect(!check([Placed].self, "[1]"))
  }

  @Test("any prefix and any changed byte are read in the same way, or left to JSONDecoder")
  func damaged() throws {
    let bytes = Array(try coding.encode([Plain()]))
    for end in bytes.indices {
      #expect(DirectDecoder.value([Plain].self, from: JSON(bytes[..<end])) == nil)
    }
    for index in bytes.indices {
      for byte in Array("\"{[:,0n\\".utf8) {
        var changed = bytes
        changed[index] = byte
        guard let value = DirectDecoder.value([Plain].self, from: JSON(changed[...])) else {
          continue
        }
        if let expected = try? jsonDecoder().decode([Plain].self, from: Data(changed)) {
          #expect(value == expected)
        }
      }
    }
  }

  @Test("deep values are left to JSONDecoder")
  func depth() {
    struct Nested: Codable, Equatable { var inner: [Nested] }
    func text(_ depth: Int) -> String {
      String(repeating: #"{"inner":["#, count: depth) + String(repeating: "]}", count: depth)
    }
    #expect(check(Nested.self, text(200)))
    #expect(!check(Nested.self, text(300)))
  }
}
