import Foundation
import Testing

@testable import GlueJournal

@Suite("Values are written as JSONEncoder writes them")
struct CodingTests {
  private let coding = JournalFormat(of: Int.self, intents: []).coding

  /// Holds what is written to what `JSONDecoder` reads.
  ///
  /// - Returns: whether it was written without `JSONEncoder`.
  @discardableResult
  private func check<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
    var line = LineBuffer()
    try line.value(value, coding)
    #expect(try JSONDecoder().decode(Value.self, from: Data(line.bytes)) == value)
    var bytes: [UInt8] = []
    let isWritten = FastEncoder().add(value, to: &bytes)
    #expect(bytes == (isWritten ? line.bytes : []))
    return isWritten
  }

  private struct Plain: Codable, Equatable {
    enum Kind: Codable, Equatable {
      case none, one(Int), two(text: String, [Int])
    }
    enum Color: String, Codable { case red }
    var text = "plain"
    var number = -5
    var share = -0.25
    var isOn = true
    var missing: Int?
    var kinds: [Kind] = [.none, .one(1), .two(text: "", [1, 2])]
    var names = ["a": 1, "b c": 2]
    var lines: [Int: String] = [7: "seven"]
    var color = Color.red
    var nested: [[Bool?]] = [[], [nil, false]]
  }

  @Test("what most types are made of needs no JSONEncoder")
  func plain() throws {
    #expect(try check(Plain()))
    #expect(try check([String: Plain]()))
    #expect(try check(Int?.none))
    for number in [0, 1, -1, 9, 10, 123_456_789_012_345_678, -99] { #expect(try check(number)) }
    for number in [0.0, 1, -1.5, 0.1] { #expect(try check(number)) }
  }

  @Test("all texts are written")
  func texts() throws {
    for byte in UInt8.min...127 { try check("a\(Character(Unicode.Scalar(byte)))/b") }
    for text in ["", "\"", "\\u0041", "ä€😀\u{2028}", String(repeating: "\n", count: 99)] {
      try check(text)
      try check([text: text])
    }
  }

  private struct Special: Codable, Equatable {
    var date = Date(timeIntervalSince1970: 1e9 + 0.5)
    var data = Data([0, 255])
    var url = URL(filePath: "/a b")
    var decimal = Decimal(string: "0.1")
    var float: Float = 0.1
    var large = UInt64.max
    var small = Int8.min
    var double = 1e300
  }

  @Test("what JSONEncoder writes in ways of its own is written so")
  func special() throws {
    try check(Special())
    try check([UInt64.max, 0])
    try check([Float(1), 0.1])
    try check([Int.min, .max])
    for number in [1e-7, 1e21, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0] {
      try check(number)
    }
    var line = LineBuffer()
    try line.value([Double.infinity, -.infinity, .nan], coding)
    #expect(String(decoding: line.bytes, as: UTF8.self) == "[\"inf\",\"-inf\",\"nan\"]")
  }

  /// Writes to two containers in turn, and asks for what it encodes with.
  private struct Odd: Codable, Equatable {
    enum Key: CodingKey { case first, second, path }
    var value = 1

    init() {}

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      var first = try values.nestedUnkeyedContainer(forKey: .first)
      value = try first.decode(Int.self)
      #expect(try first.decode(Int.self) == value)
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      var first = values.nestedUnkeyedContainer(forKey: .first)
      try first.encode(value)
      try values.encode(2, forKey: .second)
      try first.encode(value)
      try values.encode(first.codingPath.count, forKey: .path)
    }
  }

  /// Is whatever decodes first.
  private enum Either: Codable, Equatable {
    case number(UInt8), text(String)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(UInt8.self) {
        self = .number(number)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else {
        self = .text("\(try value.decode(Int.self))")
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

  private class Base: Codable {
    var base = 1
  }

  private final class Derived: Base, Equatable {
    var derived = 2
    private enum Key: CodingKey { case derived }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      derived = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .derived)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var values = encoder.container(keyedBy: Key.self)
      try values.encode(derived, forKey: .derived)
    }

    static func == (a: Derived, b: Derived) -> Bool { (a.base, a.derived) == (b.base, b.derived) }
  }

  @Test("types that write in unusual ways are left to JSONEncoder, and so are those that try")
  func odd() throws {
    #expect(try !check(Odd()))
    #expect(try !check([Odd(), Odd()]))
    #expect(try !check(Derived()))
    try check([Either.number(7), .text("x")])
  }
}
